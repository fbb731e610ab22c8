"""Inputs that the rules of generic_inputs.py cannot guess: the inputs of some types of
models, each a function from the model and a batch to arguments by name."""

import inspect

import torch

SIDE = 4  # of an image, in patches


def words(batch, length=13, most=99):
    return torch.randint(3, most, (batch, length))


def grid(batch, *sizes):
    return torch.tensor([sizes] * batch)


def patches(config, batch, depth=1):
    channels = getattr(config, "in_channels", None) or getattr(config, "num_channels", 3)
    return torch.randn(batch * SIDE * SIDE, channels * depth * config.patch_size ** 2)


def flat_patches(model, batch):
    return {"pixel_values": patches(model.config, batch), "grid_thw": grid(batch, 1, SIDE, SIDE)}


def hidden_patches(model, batch):
    return {"hidden_states": patches(model.config, batch, model.config.temporal_patch_size), "grid_thw": grid(batch, 1, SIDE, SIDE)}


def merged_patches(model, batch):
    return {**flat_patches(model, batch), "merge_sizes": torch.tensor([2] * batch)}


def blocks_of_patches(model, batch):
    config, side = model.config, SIDE // model.config.spatial_merge_size
    edge = config.patch_size * config.spatial_merge_size
    return {"pixel_values": torch.randn(batch * side * side, edge, edge, config.num_channels), "image_grid_thw": grid(batch, 1, side, side)}


def row_of_patches(model, batch):
    edge = model.config.patch_size
    return {"pixel_values": torch.randn(1, 3, edge, batch * SIDE * SIDE * edge), "target_sizes": grid(batch, SIDE, SIDE)}


def padded_patches(model, batch):
    mask = torch.ones(batch, SIDE * SIDE, dtype=torch.long)
    config = getattr(model.config, "vision_config", model.config)
    return {"pixel_values": torch.randn(batch, SIDE * SIDE, 3 * config.patch_size ** 2), "pixel_attention_mask": mask,
            "spatial_shapes": grid(batch, SIDE, SIDE)}


def text_and_patches(model, batch):
    config = model.config
    count = (SIDE // config.vision_config.spatial_merge_size) ** 2
    ids = words(batch)
    ids[:, 2:2 + count] = config.image_token_id
    return {"input_ids": ids, "pixel_values": patches(config.vision_config, batch), "image_grid_thw": grid(batch, 1, SIDE, SIDE),
            "mm_token_type_ids": (ids == config.image_token_id).long()}


def masked_frames(model, batch, name="input_features", mask="input_features_mask", length=32, width=None, last=True, dtype=torch.long):
    width = width or model.config.num_mel_bins
    taken = torch.ones(batch, length, dtype=dtype)
    taken[-1, length - 8:] = 0
    return {name: torch.randn(batch, length, width) if last else torch.randn(batch, width, length), mask: taken}


def audio_and_words(model, batch):
    """Features of sound that stand for four words of each text."""
    ids = words(batch)
    ids[:, 2:6] = model.config.audio_token_id
    return {"input_ids": ids, "input_features": torch.randn(batch, 20, model.config.encoder_config.input_dim)}


def codes_of_sound(model, batch):
    """Samples of both encoders of a codec that are as long."""
    return {"input_values": torch.randn(batch, 1, 3200), "input_features": torch.randn(batch, 10, 32)}


def image_in_text(model, batch):
    ids, mask = words(batch, 80), torch.zeros(batch, 80, dtype=torch.long)
    mask[:, 2:2 + model.config.latent_query_num] = 1
    return {"pixel_values": torch.randn(batch, 3, 32, 32), "input_ids": ids, "image_embeds_position_mask": mask}


def queries_in_text(model, batch):
    ids = words(batch, 5 + model.config.num_query_tokens)
    ids[:, :model.config.num_query_tokens] = model.config.image_token_index
    return {"pixel_values": torch.randn(batch, 3, 32, 32), "input_ids": ids, "attention_mask": torch.ones_like(ids)}


def decisions(model, batch):
    config, length = model.config, 6
    return {"states": torch.randn(batch, length, config.state_dim), "actions": torch.randn(batch, length, config.act_dim),
            "rewards": torch.randn(batch, length, 1), "returns_to_go": torch.randn(batch, length, 1),
            "timesteps": torch.arange(length).repeat(batch, 1), "attention_mask": torch.ones(batch, length, dtype=torch.long)}


def noise_and_context(model, batch):
    config = model.config
    return {"noise_embeds": torch.randn(batch, config.block_size, config.hidden_size),
            "attention_mask": torch.ones(batch, config.block_size + 5, dtype=torch.long),
            "context_hidden_states": torch.randn(batch, 5, config.hidden_size * len(config.target_layer_ids))}


def robot(model, batch):
    config = model.config
    ids = words(batch, 20)
    ids[:, :16] = config.vlm_config.image_token_id
    return {"state": torch.randn(batch, config.max_state_dim), "noise": torch.randn(batch, config.chunk_size, config.max_action_dim),
            "timestep": torch.rand(batch), "input_ids": ids, "pixel_values": torch.randn(batch, 1, 3, 32, 32),
            "pixel_attention_mask": torch.ones(batch, 1, dtype=torch.bool), "attention_mask": torch.ones_like(ids)}


def sound_of(length, channels=()):
    return lambda model, batch: {"input_values": torch.randn(batch, *channels, length)}


def spoken(model, batch):
    return {"input_values": torch.randn(batch, 4000), "decoder_input_ids": words(batch, 7)}


def heard_by_two_encoders(model, batch):
    """Sound that stands for three words."""
    ids = words(batch)
    ids[:, 2:5] = model.config.audio_token_id
    return {"input_ids": ids, "input_values": torch.randn(batch, 1, 48), "padding_mask": torch.ones(batch, 48, dtype=torch.bool), "sample": False}


def several_patches(model, batch):
    """Hidden states or pixels of patches, whatever the model calls them."""
    names = inspect.signature(model.forward).parameters
    depth = getattr(model.config, "temporal_patch_size", 1) or 1
    name = "hidden_states" if "hidden_states" in names else "pixel_values"
    return {name: patches(model.config, batch, depth), "grid_thw": grid(batch, 1, SIDE, SIDE)}


def patches_of_two_frames(model, batch):
    return {"pixel_values": patches(model.config, batch, 2), "grid_thw": grid(batch, 1, SIDE, SIDE)}


def square_patches(model, batch):
    edge = model.config.patch_size
    return {"pixel_values": torch.randn(batch * SIDE * SIDE, 3, edge, edge), "grid_thw": grid(batch, 1, SIDE, SIDE)}


def image_and_words(model, batch):
    """Patches of an image, and words where the class takes them."""
    text = {"input_ids": words(batch)} if "input_ids" in inspect.signature(model.forward).parameters else {}
    return {**text, **padded_patches(model, batch)}


def objects_and_words(model, batch):
    ids = words(batch)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "visual_feats": torch.randn(batch, 5, model.config.visual_feat_dim),
            "visual_pos": torch.rand(batch, 5, model.config.visual_pos_dim)}


MAKERS = {
    "audioflamingo3_encoder": lambda model, batch: masked_frames(model, batch, length=128, last=False),
    "blip-2": queries_in_text,
    "blip_2_qformer": lambda model, batch: {"query_embeds": torch.randn(batch, 8, model.config.hidden_size), "encoder_hidden_states": torch.randn(batch, 9, model.config.encoder_hidden_size)},
    "cohere_compass_vision": several_patches,
    "cosmos3_edge_vision": several_patches,
    "decision_transformer": decisions,
    "dia": lambda model, batch: {"input_ids": words(batch), "decoder_input_ids": torch.randint(3, 99, (batch, 7, 9))},
    "ernie4_5_vl_moe": text_and_patches,
    "exaone4_5_vision": several_patches,
    "fun_asr_nano_encoder": lambda model, batch: masked_frames(model, batch, width=model.config.num_mel_bins * model.config.num_stacked_frames),
    "gemma3n_audio": lambda model, batch: masked_frames(model, batch, "audio_mel", "audio_mel_mask", width=128, dtype=torch.bool),
    "glm4v_moe_vision": hidden_patches,
    "glm5_next_vision": several_patches,
    "glm_image_vision": flat_patches,
    "glm_ocr_vision": several_patches,
    "granite_speech": audio_and_words,
    "granite_speech_plus": audio_and_words,
    "hunyuan_vl_vision": flat_patches,
    "idefics": lambda model, batch: {"pixel_values": torch.randn(batch, 1, 3, 32, 32), "input_ids": words(batch), "attention_mask": torch.ones(batch, 13, dtype=torch.long), "image_attention_mask": torch.ones(batch, 13, 1, dtype=torch.long)},
    "inkling2_vision": blocks_of_patches,
    "instructblip": lambda model, batch: {**queries_in_text(model, batch), "qformer_input_ids": words(batch, 5)},
    "kimi_k25_vision": square_patches,
    "kosmos-2": image_in_text,
    "kyutai_speech_to_text": lambda model, batch: {"input_ids": torch.randint(4, 30, (batch, 13, model.config.num_codebooks + 1))},
    "lfm3_vl_vision": several_patches,
    "lxmert": objects_and_words,
    "mimi_decoder": lambda model, batch: {"latents": torch.randn(batch, model.config.hidden_size, 9)},
    "minicpm_ocr_vision": row_of_patches,
    "minicpmv4_7_vision": row_of_patches,
    "moonshine": spoken,
    "muse_glimmer_assistant": noise_and_context,
    "muse_glimmer_vision": patches_of_two_frames,
    "muse_spark_audio": sound_of(3840),
    "muse_spark_vision": patches_of_two_frames,
    "musicgen": lambda model, batch: {"input_ids": words(batch * model.config.num_codebooks)},
    "musicgen_melody": lambda model, batch: {"input_ids": words(batch * model.config.num_codebooks)},
    "neucodec": codes_of_sound,
    "pe_audio": lambda model, batch: {"input_ids": words(batch), "input_values": torch.randn(batch, 1, 4096)},
    "pe_audio_encoder": sound_of(4096, (1,)),
    "pi0": robot,
    "qwen2_5_vl_vision": several_patches,
    "qwen3_asr_encoder": lambda model, batch: masked_frames(model, batch, length=200, last=False),
    "qwen3_vl_moe_vision": hidden_patches,
    "qwen3_vl_vision": several_patches,
    "qwen4_exp_vision": several_patches,
    "siglip2": image_and_words,
    "siglip2_vision_model": padded_patches,
    "univnet": lambda model, batch: {"input_features": torch.randn(batch, 20, model.config.num_mel_bins),
                                     "noise_sequence": torch.randn(batch, 20, model.config.model_in_channels)},
    "vibevoice": heard_by_two_encoders,
    "vibevoice_acoustic_tokenizer_decoder": lambda model, batch: {"hidden_states": torch.randn(batch, model.config.hidden_size, 3)},
    "video_llama_3_vision": merged_patches,
    "vjepa2": lambda model, batch: {"pixel_values_videos": torch.randn(batch, 4, 3, 32, 32)},
    "xcodec2": codes_of_sound,
}
