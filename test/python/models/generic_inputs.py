"""Inputs for a model of transformers, by the names of its arguments."""

import functools
import inspect

import torch
from inputs_by_type import MAKERS
from small_configurations import FIRST_SPECIAL
from transformers.exporters.utils import precompute_export_inputs


def find(config, *names, default=None):
    """The first of the entries that the configuration or one of its parts has."""
    parts = [config, *(getattr(config, part) for part in ("vision_config", "text_config", "audio_config", "encoder_config",
                                                         "backbone_config", "encoder", "thinker_config")
                       if hasattr(getattr(config, part, None), "to_dict"))]
    for part in parts:
        for name in names:
            value = getattr(part, name, None)
            if value is not None:
                return value
    return default


def edge(size):
    return tuple(size)[:2] if isinstance(size, (list, tuple)) else (size, size)


def images(config, batch, least=0):
    height, width = edge(find(config, "image_size", "img_size", default=32))
    if find(config, "image_size", "img_size") is None:
        height = width = max(64, least)
    channels = find(config, "num_channels", "in_channels", "in_chans", default=3)
    return torch.randn(batch, channels if isinstance(channels, int) else 3, height, width)


def words(config, batch, length=13):
    known = find(config, "vocab_size", default=FIRST_SPECIAL)
    return torch.randint(3, min(FIRST_SPECIAL, known), (batch, length))


def frames(config, batch):
    bins = find(config, "feature_projection_input_dim", "num_mel_bins", "feature_size", "input_feat_per_channel", "input_dim", default=16)
    length = 2 * find(config, "max_source_positions", default=32)
    return torch.randn(batch, bins, length), torch.randn(batch, length, bins)


def boxes(batch, length=13):
    corner = torch.randint(0, 30, (batch, length, 2))
    return torch.cat([corner, corner + torch.randint(1, 30, (batch, length, 2))], -1)


def time_series(config, accepted, batch):
    """Past and future values, with their features."""
    lags, ahead = find(config, "lags_sequence", default=[0]), find(config, "prediction_length", default=8)
    past = find(config, "context_length", "prompt_length", default=16) + max(lags)
    features = find(config, "num_time_features", default=0)
    channels = find(config, "num_input_channels", default=1)
    series = {"past_values": torch.randn(batch, past, channels)}
    if "past_time_features" in accepted:
        series = {"past_values": torch.randn(batch, past), "past_observed_mask": torch.ones(batch, past),
                  "past_time_features": torch.randn(batch, past, features), "future_values": torch.randn(batch, ahead),
                  "future_time_features": torch.randn(batch, ahead, features)}
    return series


def candidates(model, batch):
    """Dicts of inputs to try, the fullest first."""
    accepted = inspect.signature(model.forward).parameters
    config = model.config
    text = {}
    if "input_ids" in accepted:
        text["input_ids"] = words(config, batch)
    if "decoder_input_ids" in accepted and getattr(config, "is_encoder_decoder", False):
        text["decoder_input_ids"] = words(config, batch, 7)
    if "qformer_input_ids" in accepted:
        text["qformer_input_ids"] = words(config, batch, 5)
    if "bbox" in accepted:
        text["bbox"] = boxes(batch)
    mask = {"attention_mask": torch.ones(batch, 13, dtype=torch.long)}
    if "attention_mask" in accepted and text:
        mask["attention_mask"][-1, 10:] = 0
    picture = {}
    for name in ("pixel_values", "images"):
        if name in accepted:
            picture[name] = images(config, batch)
    sound, other = {}, {}
    if "input_features" in accepted:
        first, second = frames(config, batch)
        sound, other = {"input_features": first}, {"input_features": second}
    if "input_values" in accepted:
        sound, other = {"input_values": torch.randn(batch, 400)}, {"input_values": torch.randn(batch, 1, 400)}
    series = time_series(config, accepted, batch) if "past_values" in accepted else {}
    if text and not picture and not sound:
        yield {**text, **mask}
    if picture and text:
        for count in image_token_counts(model, picture):
            ids = words(config, batch, 13 + count)
            ids[:, 2:2 + count] = find(config, "image_token_id", "image_token_index", default=5)
            yield {**text, "input_ids": ids, **picture}
        yield {**text, **picture}
    for inputs in (picture, sound, other, {**text, **sound}, {**text, **other}, series,
                   {**series, "past_observed_mask": torch.ones_like(series["past_values"])} if series else {}, text,
                   {**text, **mask}):
        if inputs:
            yield dict(inputs)
    if picture:
        name, values = next(iter(picture.items()))
        video = {name: values[:, None].repeat(1, 4, 1, 1, 1)}
        yield video
        yield {**text, **video}
        yield {name: images(config, batch, 160)}
    if "input_values" in accepted:
        yield {"input_values": torch.randn(batch, 4000)}
    if "input_values" in accepted and find(config, "num_mel_bins") is not None:
        yield {"input_values": torch.randn(batch, find(config, "max_length", default=64), find(config, "num_mel_bins"))}


def image_token_counts(model, picture):
    """How many tokens an image may stand for."""
    queries = find(model.config, "num_query_tokens")
    if queries is not None:
        yield queries
    features = getattr(model, "get_image_features", None)
    if features is None or find(model.config, "image_token_id", "image_token_index") is None:
        return
    try:
        with torch.no_grad():
            result = features(picture["pixel_values"])
        result = getattr(result, "pooler_output", None) if not isinstance(result, torch.Tensor) else result
        if isinstance(result, (list, tuple)):
            result = result[0][None]
        yield result.shape[1]
    except Exception:  # of many kinds
        return


def prepared(make, model, batch):
    """The inputs, and what transformers computes of them ahead of torch.export:
    which patches belong to which image, for one."""
    inputs = make(model, batch)
    with torch.no_grad():
        precompute_export_inputs(model, inputs)
    return {name: value for name, value in inputs.items() if value is not None}


def inputs_of(model, kind):
    """A function from a batch to inputs that the model of this type takes, and
    None; None and an error where none is found. The names are those of the first
    candidate that PyTorch runs."""
    if kind in MAKERS:
        make = functools.partial(prepared, MAKERS[kind], model)
        try:
            with torch.no_grad():
                model(**make(2))
        except Exception as error:  # of many kinds
            return None, error
        return make, None
    error = None
    for index, inputs in enumerate(candidates(model, 2)):
        try:
            with torch.no_grad():
                model(**inputs)
        except Exception as problem:  # of many kinds
            error = error or problem
            continue

        def make(batch, index=index):
            return list(candidates(model, batch))[index]

        return make, None
    return None, error
