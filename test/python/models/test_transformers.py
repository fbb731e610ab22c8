"""Architectures from transformers, exported and run without Python."""

import pytest
import torch
from torch.export import Dim

import transformers_models as zoo
from exported_model import in_dtype

MAIN = [zoo.bert, zoo.gpt2, zoo.vit, zoo.resnet18]
OTHERS = [zoo.masked_bert, zoo.mobilenet_v2, zoo.llama, zoo.gpt_neox, zoo.distilbert, zoo.t5, zoo.clip_vision,
          zoo.clip_text, zoo.convnext, zoo.swin, zoo.whisper_encoder]
NEWER = [zoo.bart, zoo.mamba, zoo.segformer, zoo.wav2vec2]  # run, without a bound on their memory yet
TYPES = [torch.float32, torch.bfloat16]


def build(make, dtype):
    model, inputs = make()
    return model.to(dtype), lambda batch: in_dtype(inputs(batch), dtype)


def dynamic_batch(arguments):
    return {name: {0: Dim("batch", min=1, max=64)} for name in arguments}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("make", MAIN, ids=lambda make: make.__name__)
def test_fixed_sizes(agree, make, dtype):
    model, inputs = build(make, dtype)
    agree(model, inputs(2))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("make", MAIN, ids=lambda make: make.__name__)
def test_dynamic_batch(agree, make, dtype):
    model, inputs = build(make, dtype)
    agree(model, inputs(2), [inputs(1), inputs(3)], dynamic_batch(inputs(2)))


@pytest.mark.parametrize("make", OTHERS + NEWER, ids=lambda make: make.__name__)
def test_other_architectures(agree, make):
    model, inputs = build(make, torch.float32)
    agree(model, inputs(2), [inputs(3)], dynamic_batch(inputs(2)))


@pytest.mark.parametrize("make", [zoo.bert, zoo.vit, zoo.resnet18, zoo.llama, zoo.t5, zoo.falcon], ids=lambda make: make.__name__)
def test_decomposed(agree, make):
    """As run_decompositions() leaves the graph: core ATen overloads."""
    model, inputs = build(make, torch.float32)
    agree(model, inputs(3), decompose=True)


@pytest.mark.parametrize("make", [zoo.llama, zoo.mpt], ids=lambda make: make.__name__)
def test_dynamic_length(agree, make):
    model, _ = make()
    inputs = lambda batch, length: zoo.token_ids(batch, length)
    dynamic = {"input_ids": {0: Dim("batch", min=1, max=64), 1: Dim("length", min=2, max=32)}}
    agree(model, inputs(2, 13), [inputs(1, 5), inputs(3, 17)], dynamic)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_gpt2_of_its_real_size(full, agree, dtype):
    """12 layers, 768 wide, vocabulary of 50257."""
    model, _ = zoo.gpt2(vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_head=12)
    inputs = lambda batch: {"input_ids": torch.randint(0, 50257, (batch, 61))}
    agree(model.to(dtype), inputs(2), [inputs(1)], dynamic_batch(inputs(2)))
