"""Models of transformers in small configurations, whatever their architecture.

A configuration is made small by the names of its entries: widths, depths,
numbers of heads and of words mean the same in all of them.
"""

import copy
import re
import zlib

import torch
import transformers
from configurations_by_type import COMPUTED, ENTRIES
from transformers.configuration_utils import PreTrainedConfig
from transformers.models.auto import configuration_auto, modeling_auto

transformers.logging.set_verbosity_error()

WORDS = 120
FIRST_SPECIAL = 100  # token ids from here on are those of images and the like

# An entry whose name matches is at most so large; the first match counts.
LARGEST = [
    (r"vocab_size.*|.*_vocab_size|vocab_offset", WORDS),
    (r"num_(hidden_layers|layers|encoder_layers|decoder_layers|blocks)|n_layers?|depth|.*_(layers|depth)|layers", 2),
    (r"max_window_layers|first_k_dense_replace|num_nextn_predict_layers|num_kv_shared_layers", 1),
    (r"(.*_)?(num_experts_per_tok(en)?|moe_topk|moe_k|top_k_experts|index_topk)", 2),
    (r"(.*_)?(n_routed_experts|num_local_experts|num_experts|moe_num_experts)", 4),
    (r"n_shared_experts|num_shared_experts|moe_num_shared_experts|topk_group", 1),
    (r"n_group", 2),
    (r"(.*_)?(num_key_value_heads|num_kv_heads|linear_num_key_heads)", 2),
    (r"(.*_)?(num_attention_heads|attention_heads|num_heads|n_heads?|linear_num_value_heads|linear_num_heads|mamba_n_heads)", 4),
    (r"(.*_)?(head_dim|d_kv|dim_head|mamba_d_head|linear_head_dim|d_head)|qk_.*_head_dim", 8),
    (r"(.*_)?lora_rank|codebook_dim|frequency_embedding_size|time_step_rank|state_size|mamba_d_state|latent_dim", 16),
    (r"moe_intermediate_size|shared_expert_intermediate_size|moe_shared_expert_intermediate_size", 16),
    (r"(.*_)?(intermediate_size|ffn_dim|ffn_hidden_size|n_inner|d_ff|d_inner|mlp_dim|feed_forward_hidden_size|intermediate_dim)", 64),
    (r"(.*_)?(hidden_size|d_model|n_embd|embed_dim|hidden_dim|embedding_size|embed_proj_dim|embedding_dim|emb_dim|projection_dim|"
     r"output_dim|encoder_hidden_dim|classifier_proj_size|fusion_hidden_size|hidden_size_per_layer_input|projection_size|"
     r"pooler_output_size|num_filters|upsample_initial_channel|auxiliary_channels|base_channels|subsampling_conv_channels|"
     r"downsample_hidden_size|query_pre_attn_scalar|dim|fpn_hidden_size|channels?_dim|out_hidden_size|output_channels)", 32),
    (r"num_pos_feats", 16),
    (r"image_size|pretrain_image_size|img_size|input_size", 32),
    (r"patch_size|crop_size|encoder_stride", 8),
    (r"rotary_dim", 4),
    (r"(sliding_)?window(_size)?|local_attention|sliding_window_size|attention_window", 4),
    (r"(.*_)?max_position_embeddings|n_positions|max_seq_len|max_source_positions|max_target_positions|n_ctx|max_pos_emb|"
     r"max_2d_position_embeddings|model_max_length|context_length", 64),
    (r"num_queries|num_query_tokens|num_latents|num_denoising|train_num_points", 8),
    (r"num_mel_bins|mel_dim|feature_size", 16),
    (r"codebook_size|num_embeddings|num_embeds|num_classes|num_codevectors_per_group|num_labels", 32),
    (r"num_conv_pos_embeddings", 8),
    (r"num_conv_pos_embedding_groups", 4),
    (r"num_frames", 4),
    (r"mamba_chunk_size|chunk_size|chunk_length", 8),
    (r"roi_size", 7),
]
LARGEST = [(re.compile(pattern), bound) for pattern, bound in LARGEST]
# Entries without a number, of classes that compute with them all the same.
MISSING = {"head_dim": 8, "num_key_value_heads": 4, "num_experts_per_tok": 2, "prediction_length": 8}
# In its second form a configuration has the entries of MISSING, sections of rotary
# embeddings, as many stages as its necks take, and these bounds.
FORMS = 2
LARGEST_OF_SECOND = [
    (r"feature_size|mask_feature_size|(encoder_)?hidden_dim", 64),
    (r"num_feat_extract_layers", 100),
    (r"image_size|img_size", 128),
    (r"coordinate_size", 4),
    (r"shape_size", 8),
]
LARGEST_OF_SECOND = [(re.compile(pattern), bound) for pattern, bound in LARGEST_OF_SECOND]
# Lists of widths: divided, in multiples of 8. Lists of depths: cut to ones and twos.
WIDTHS = re.compile(r"hidden_sizes|embed_dims?|stage_(in|mid|out)_channels|stem_channels|conv_dim|tdnn_dim|neck_hidden_sizes|encoder_in_channels|"
                    r"decoder_in_channels|embed_dim_per_stage|backbone_channel_list|decoder_hidden_sizes|downsample_channels")
HEADS_OF_STAGES = re.compile(r"num_(attention_)?heads|encoder_num_heads")
DEPTHS = re.compile(r"depths|blocks_per_stage|num_block_repeats|stage_num_blocks|stage_numb_of_layers|num_layers|layers")


def small_number(name, value, form=0):
    for pattern, bound in (LARGEST_OF_SECOND if form else []) + LARGEST:
        if pattern.fullmatch(name):
            return min(value, bound)
    return value


def small_list(name, value):
    if all(isinstance(entry, int) and not isinstance(entry, bool) for entry in value):
        if WIDTHS.fullmatch(name):
            return [max(8, entry // 16 // 8 * 8) if entry > 3 else entry for entry in value]
        if DEPTHS.fullmatch(name):
            return [min(entry, 2) for entry in value]
        if HEADS_OF_STAGES.fullmatch(name):
            return [min(entry, 2) for entry in value]
        if name in ("image_size", "img_size", "pretrain_image_size"):
            return [32] * len(value)
        if name == "mrope_section":
            return [2, 1, 1]
    return None


class SpecialTokens:
    """Small numbers for ids of tokens, each its own."""

    def __init__(self):
        self.taken = {}

    def __call__(self, token):
        return self.taken.setdefault(token, FIRST_SPECIAL + len(self.taken) % (WORDS - FIRST_SPECIAL)) if token >= FIRST_SPECIAL else token


def small_backbone(config):
    """Stages of a ResNet, in place of a backbone of timm."""
    return transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic",
                                     out_indices=list(config.out_indices or [4]))


def rope_with_sections(rope, changes):
    """The parameters with sections that cover the frequencies of a head."""
    head = changes.get("head_dim") or changes.get("hidden_size", 32) // changes.get("num_attention_heads", 4)
    frequencies = int(head * rope.get("partial_rotary_factor", 1.0)) // 2
    rest = frequencies // 3
    return {**rope, "mrope_section": [frequencies - 2 * rest, rest, rest]}


def changes_of(config, tokens, form=0, known=None):
    """The arguments for the class of `config` that make its model small; `known`
    are entries by name, see configurations_by_type.py."""
    changes, known = {}, known or {}
    for name, value in list(vars(config).items()):
        if form and value is None and name in MISSING:
            changes[name] = MISSING[name]
        if name.startswith("_") or isinstance(value, bool) or value is None:
            continue
        if isinstance(value, transformers.TimmBackboneConfig):
            changes[name] = small_backbone(value)
        elif isinstance(value, PreTrainedConfig):
            changes[name] = small_configuration(type(value), value, tokens, form, known.get(name))
        elif re.search(r"_token_(id|index)$", name) and isinstance(value, int):
            changes[name] = tokens(value)
        elif isinstance(value, int) and small_number(name, value, form) != value:
            changes[name] = small_number(name, value, form)
        elif isinstance(value, (list, tuple)) and value and small_list(name, value):
            changes[name] = type(value)(small_list(name, value))
    heads, pairs = changes.get("num_attention_heads"), vars(config).get("num_key_value_heads")
    if heads and pairs is not None and pairs == vars(config).get("num_attention_heads"):
        changes["num_key_value_heads"] = heads
    kinds = getattr(config, "layer_types", None)
    if isinstance(kinds, (list, tuple)) and kinds and "num_hidden_layers" in changes:
        different = list(dict.fromkeys(kinds))
        changes["layer_types"] = different + different[:1] * (len(different) == 1)
        changes["num_hidden_layers"] = len(changes["layer_types"])
        kinds = getattr(config, "mlp_layer_types", None)
        if isinstance(kinds, (list, tuple)) and kinds:
            different = list(dict.fromkeys(kinds))
            changes["mlp_layer_types"] = (different * len(changes["layer_types"]))[:len(changes["layer_types"])]
    rope = getattr(config, "rope_parameters", None)
    if isinstance(rope, dict) and "mrope_section" in rope:
        changes["rope_parameters"] = {**rope, "mrope_section": [2, 1, 1]}
    if form and "qk_rope_head_dim" in changes and "qk_nope_head_dim" in changes:
        whole = changes["qk_rope_head_dim"] + changes["qk_nope_head_dim"]
        is_partly_rotary = isinstance(rope, dict) and "partial_rotary_factor" in rope
        names = {"qk_head_dim", "head_dim"} if is_partly_rotary else {"qk_head_dim"}
        changes.update(dict.fromkeys(names & changes.keys(), whole))
    if form and isinstance(rope, dict) and "rope_type" in rope:
        changes["rope_parameters"] = rope_with_sections(rope, changes)
    if form and "out_indices" in vars(config) and "num_hidden_layers" in changes:
        changes.update(num_hidden_layers=4, out_indices=[1, 2, 3, 4], out_features=None)
    changes.update({name: value for name, value in known.items() if not isinstance(changes.get(name), PreTrainedConfig)})
    return {name: value for name, value in changes.items() if value is not COMPUTED}


def default_configuration(kind, known):
    try:
        return kind()
    except Exception:  # of a class that refuses its own entries
        return kind(**(known or {}))


def small_configuration(kind, default=None, tokens=None, form=0, known=None):
    """The configuration of a class made small, in one of FORMS forms."""
    default = default_configuration(kind, known) if default is None else default
    changes = changes_of(default, tokens or SpecialTokens(), form, known)
    changes.setdefault("pad_token_id", 0)
    if getattr(default, "vocab_size", WORDS) is None:
        changes["vocab_size"] = WORDS
    for keys in (changes, {key: value for key, value in changes.items() if key != "pad_token_id"},
                 {key: value for key, value in changes.items() if key not in ("pad_token_id", "layer_types", "mlp_layer_types")}):
        try:
            return kind(**keys)
        except Exception:  # of a class that checks other things
            continue
    config = copy.deepcopy(default)
    for name, value in changes.items():
        if getattr(getattr(kind, name, None), "fset", True):  # not what the class computes
            setattr(config, name, value)
    return config


# Which head stands for a type of model: the first that it has.
HEADS = ["CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MASKED_LM", "IMAGE_CLASSIFICATION", "CTC",
         "SPEECH_SEQ_2_SEQ", "SEMANTIC_SEGMENTATION", "OBJECT_DETECTION", "DEPTH_ESTIMATION", "AUDIO_CLASSIFICATION",
         "ZERO_SHOT_IMAGE_CLASSIFICATION", "SEQUENCE_CLASSIFICATION", "QUESTION_ANSWERING", "TOKEN_CLASSIFICATION"]


def mapping(head):
    return getattr(modeling_auto, f"MODEL_FOR_{head}_MAPPING_NAMES")


def is_used(model_type):
    """Every fifth type is left out: it is for judging TC by models that it was
    not made to pass."""
    return zlib.crc32(model_type.encode()) % 5 != 0


def model_types():
    """The types with a model, in an order that has nothing to do with their names."""
    types = [name for name in configuration_auto.CONFIG_MAPPING_NAMES
             if is_used(name) and (name in modeling_auto.MODEL_MAPPING_NAMES or any(name in mapping(head) for head in HEADS))]
    return sorted(types, key=lambda name: zlib.crc32(f"order/{name}".encode()))


def classes_of(model_type):
    """The names of the model with its head and of that without."""
    names = [mapping(head).get(model_type) for head in HEADS]
    names = [next((name for name in names if name), None), modeling_auto.MODEL_MAPPING_NAMES.get(model_type)]
    names = [name[0] if isinstance(name, (list, tuple)) else name for name in names]
    return list(dict.fromkeys(name for name in names if name))


def configurations_of(model_type, kind):
    """Small configurations of a type for the class `kind`, the likeliest first."""
    for form in range(FORMS):
        try:
            config = small_configuration(configuration_auto.CONFIG_MAPPING[model_type], form=form, known=ENTRIES.get(model_type))
        except Exception:  # of a class that checks other things
            if form == 0:
                raise
            continue
        parts = [value for value in vars(config).values() if isinstance(value, PreTrainedConfig)]
        if kind.config_class is not None and not isinstance(config, kind.config_class):  # a head of a part
            config = next((part for part in parts if isinstance(part, kind.config_class)), config)
        yield config
        if hasattr(config, "text_config"):
            yield config.text_config


def small_models(model_type, name):
    """The class `name` of a type, with random weights, in each of its small
    configurations that it takes; the error of the first when it takes none."""
    kind = getattr(transformers, name)
    first, found = None, False
    for config in configurations_of(model_type, kind):
        for part in (config, *(value for value in vars(config).values() if isinstance(value, PreTrainedConfig))):
            if hasattr(part, "use_cache"):
                part.use_cache = False
        torch.manual_seed(0)
        try:
            model = kind(config)
            if sum(parameter.numel() for parameter in model.parameters()) > 30_000_000:
                raise ValueError("the configuration is not small")
        except Exception as error:  # of many kinds
            first = first or error
            continue
        found = True
        yield model.eval()
    if not found:
        raise first
