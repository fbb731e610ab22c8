"""Small configurations of architectures in transformers, with random weights."""

import torch
import transformers

transformers.logging.set_verbosity_error()

WIDTHS = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37}
TEXT = {"vocab_size": 99, "max_position_embeddings": 40, **WIDTHS}


def token_ids(batch, length=13):
    return {"input_ids": torch.randint(2, 99, (batch, length))}


def masked_token_ids(batch):
    mask = torch.ones(batch, 13, dtype=torch.long)
    mask[:, 10:] = 0
    return {**token_ids(batch), "attention_mask": mask}


def encoder_and_decoder_ids(batch):
    return {**token_ids(batch), "decoder_input_ids": token_ids(batch, 7)["input_ids"]}


def pixels(size, channels=3):
    return lambda batch: {"pixel_values": torch.randn(batch, channels, size, size)}


def bert():
    return transformers.BertModel(transformers.BertConfig(**TEXT)), token_ids


def masked_bert():
    return transformers.BertForSequenceClassification(transformers.BertConfig(**TEXT, num_labels=50)), masked_token_ids


def gpt2(**changes):
    configuration = {"vocab_size": 99, "n_positions": 40, "n_embd": 32, "n_layer": 2, "n_head": 4, **changes}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**configuration, use_cache=False)), token_ids


def vit():
    configuration = transformers.ViTConfig(image_size=30, patch_size=6, num_labels=50, **WIDTHS)
    return transformers.ViTForImageClassification(configuration), pixels(30)


def resnet18():
    configuration = transformers.ResNetConfig(embedding_size=16, hidden_sizes=[16, 24, 32, 40],
                                              depths=[2, 2, 2, 2], layer_type="basic", num_labels=50)
    return transformers.ResNetForImageClassification(configuration), pixels(45)


def mobilenet_v2():
    configuration = transformers.MobileNetV2Config(image_size=45, depth_multiplier=0.35, num_labels=50)
    return transformers.MobileNetV2ForImageClassification(configuration), pixels(45)


def llama():
    configuration = transformers.LlamaConfig(num_key_value_heads=2, use_cache=False, **TEXT)
    return transformers.LlamaForCausalLM(configuration), token_ids


def gpt_neox():
    return transformers.GPTNeoXForCausalLM(transformers.GPTNeoXConfig(use_cache=False, **TEXT)), token_ids


def distilbert():
    configuration = transformers.DistilBertConfig(vocab_size=99, max_position_embeddings=40, dim=32, n_layers=2,
                                                  n_heads=4, hidden_dim=37)
    return transformers.DistilBertModel(configuration), masked_token_ids


def t5():
    configuration = transformers.T5Config(vocab_size=99, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4,
                                          use_cache=False)
    return transformers.T5ForConditionalGeneration(configuration), encoder_and_decoder_ids


def clip_vision():
    return transformers.CLIPVisionModel(transformers.CLIPVisionConfig(image_size=30, patch_size=6, **WIDTHS)), pixels(30)


def clip_text():
    return transformers.CLIPTextModel(transformers.CLIPTextConfig(**TEXT)), token_ids


def convnext():
    configuration = transformers.ConvNextConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1], num_labels=50)
    return transformers.ConvNextForImageClassification(configuration), pixels(64)


def swin():
    configuration = transformers.SwinConfig(image_size=48, patch_size=4, embed_dim=16, depths=[2, 2],
                                            num_heads=[2, 4], window_size=4, num_labels=50)
    return transformers.SwinForImageClassification(configuration), pixels(48)


def whisper_encoder():
    configuration = transformers.WhisperConfig(d_model=32, encoder_layers=2, encoder_attention_heads=4,
                                               encoder_ffn_dim=37, num_mel_bins=10, max_source_positions=15)
    model = transformers.models.whisper.modeling_whisper.WhisperEncoder(configuration)
    return model, lambda batch: {"input_features": torch.randn(batch, 10, 30)}


def bart():
    configuration = transformers.BartConfig(vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2,
                                            encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37,
                                            decoder_ffn_dim=37, max_position_embeddings=40, use_cache=False)
    return transformers.BartForConditionalGeneration(configuration), encoder_and_decoder_ids


def falcon():
    configuration = {**TEXT, "use_cache": False}
    return transformers.FalconForCausalLM(transformers.FalconConfig(**configuration)), token_ids


def mpt():
    configuration = transformers.MptConfig(vocab_size=99, d_model=32, n_heads=4, n_layers=2, max_seq_len=40,
                                           use_cache=False)
    return transformers.MptForCausalLM(configuration), token_ids


def mamba():
    configuration = {**TEXT, "state_size": 8, "use_cache": False}
    return transformers.MambaForCausalLM(transformers.MambaConfig(**configuration)), token_ids


def segformer():
    configuration = transformers.SegformerConfig(hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1],
                                                 num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16, num_labels=7)
    return transformers.SegformerForSemanticSegmentation(configuration), pixels(64)


def wav2vec2():
    configuration = transformers.Wav2Vec2Config(vocab_size=32, conv_dim=[16, 16, 16], conv_stride=[5, 2, 2],
                                                conv_kernel=[10, 3, 2], num_conv_pos_embeddings=8,
                                                num_conv_pos_embedding_groups=4, num_feat_extract_layers=3, **WIDTHS)
    return transformers.Wav2Vec2ForCTC(configuration), lambda batch: {"input_values": torch.randn(batch, 400)}
