"""Settings that the rules of small_configurations.py cannot guess: entries of the
configurations of some types, those of a part in a dict of their own. A value
counts as it is, and COMPUTED leaves the entry to the class."""

COMPUTED = object()

MIMI = {"num_attention_heads": 4, "upsample_groups": 32, "vector_quantization_hidden_dimension": 16, "num_quantizers": 4,
        "upsampling_ratios": [4, 2], "num_filters": 8}
# Three levels of 16, 8 and 4 of an image of 64, in patches of 4 that are halved twice more.
HIERA = {"image_size": [64, 64], "hidden_size": 8, "embed_dim_per_stage": [8, 16, 32, 64], "blocks_per_stage": [1, 1, 2, 1],
         "num_attention_heads_per_stage": [1, 2, 4, 8], "window_size_per_stage": [8, 4, 4, 2], "global_attention_blocks": [3]}
DOCUMENT_LAYOUT = {"backbone_config": {"out_features": ["stage2", "stage3", "stage4"]}, "encoder_in_channels": (32, 64, 128),
                   "decoder_in_channels": (32, 32, 32)}
FOUR_STAGES = {"num_hidden_layers": 4, "out_indices": [1, 2, 3, 4]}
DEPTH = {"backbone_config": {**FOUR_STAGES, "reshape_hidden_states": False}}
EFFICIENT = {"width_coefficient": 0.5, "depth_coefficient": 0.5, "hidden_dim": 160}
THREE_STAGES = {"backbone_config": {"out_features": ["stage2", "stage3", "stage4"]}}
TOKENIZER = {"num_filters": 4, "depths": (1, 1, 1, 1), "downsampling_ratios": (2, 2, 4)}
PALIGEMMA = {"text_config": {"num_key_value_heads": 1}}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8}

ENTRIES = {
    "align": {"vision_config": EFFICIENT, "projection_dim": 160, "text_config": {"hidden_size": 160}},
    "autoformer": {"context_length": 12, "label_length": 4, "num_time_features": 2, "moving_average": 5, "feature_size": 11},
    "bailing_hybrid": {"n_group": 2, "num_group": 2, "num_expert_group": 2, "topk_group": 1},
    "bamba": {"attn_layer_indices": [1], "layers_block_type": COMPUTED, "layer_types": COMPUTED, **MAMBA},
    "blip-2": {"image_token_index": 100},
    "bridgetower": {"hidden_size": 64, "text_config": {"hidden_size": 64}, "vision_config": {"hidden_size": 64}},
    "bros": {"hidden_size": 64, **dict.fromkeys(("dim_bbox_sinusoid_emb_2d", "dim_bbox_sinusoid_emb_1d", "dim_bbox_projection"), COMPUTED)},
    "chmv2": {"backbone_config": {**FOUR_STAGES, "return_class_token": True}, "post_process_channels": [8, 16, 24, 32]},
    "d_fine": {**THREE_STAGES, "encoder_in_channels": (32, 64, 128), "decoder_in_channels": (32, 32, 32)},
    "depth_anything": DEPTH,
    "dots3_note_text": {"swa_num_attention_heads": 4, "swa_num_key_value_heads": 4, "swa_q_lora_rank": 16, "swa_kv_lora_rank": 16,
                        "swa_head_dim": 16, "swa_qk_nope_head_dim": 8, "swa_v_head_dim": 8, "num_key_value_heads": 4},
    "efficientnet": {**EFFICIENT, "hidden_dim": 640},
    "encodec": {"codebook_dim": 32},
    "ernie4_5_vl_moe": {"text_config": {"rope_parameters": {"rope_theta": 500000.0, "rope_type": "default", "mrope_section": [1, 1, 2]}}},
    "exaone4_5_vision": {"window_size": 32},
    "gptj": {"rotary_dim": 4},
    "granite_speech": {"encoder_config": {"context_size": 8}, "window_size": 10},
    "granite_speech5_ctc": {"encoder_config": {"context_size": 8}},
    "granite_speech_plus": {"encoder_config": {"context_size": 8}, "window_size": 10},
    "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"], **MAMBA},
    "instructblip": {"image_token_index": 100},
    "kyutai_speech_to_text": {"num_codebooks": 4, "codec_config": MIMI},
    "levit": {"image_size": 64, "patch_size": 16, "hidden_sizes": (32, 48, 64)},
    "lfm2_moe": {"num_hidden_layers": 2, "layer_types": ["conv", "full_attention"]},
    "lilt": {"hidden_size": 48},
    "mamba2": {"num_heads": 8, "head_dim": 8, "n_groups": 2},
    "mask2former": {"backbone_config": {"image_size": 64, "out_features": ["stage1", "stage2", "stage3", "stage4"]}, "feature_size": 32, "mask_feature_size": 32, "dim_feedforward": 64},
    "mgp-str": {"num_character_labels": 38, "num_bpe_labels": 120, "num_wordpiece_labels": 120},
    "mimi": MIMI,
    "mimi_decoder": MIMI,
    "moonshine": {"encoder_num_key_value_heads": 4, "decoder_num_key_value_heads": 4},
    "muse_spark_audio": {"num_hidden_layers": 4},
    "neucodec": {"quantization_dim": 64, "encoder_hidden_size": 8},
    "paligemma": PALIGEMMA,
    "pi0": {"vlm_config": PALIGEMMA, "dit_config": {"num_key_value_heads": 1}},
    "pocket_tts_audio_tokenizer": MIMI,
    "pp_doclayout_v3": {**DOCUMENT_LAYOUT, "backbone_config": {"out_features": ["stage1", "stage2", "stage3", "stage4"]},
                        "x4_feat_dim": 8},
    "pp_doclayout_v4": DOCUMENT_LAYOUT,
    "prompt_depth_anything": DEPTH,
    "qwen2_5_vl_vision": {"window_size": 32},
    "reformer": {"is_decoder": True, "axial_pos_shape": (8, 8), "axial_pos_embds_dim": (16, 16), "attention_head_size": 8,
                 "feed_forward_size": 64, "local_attn_chunk_length": 4, "lsh_attn_chunk_length": 4, "num_buckets": 2,
                 "attn_layers": ("local", "local")},
    "rt_detr_v2": {**THREE_STAGES, "encoder_in_channels": [32, 64, 128], "decoder_in_channels": [32, 32, 32]},
    "sam2": {"vision_config": {"backbone_config": HIERA, "backbone_channel_list": [64, 32, 16, 8],
                               "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]]},
             "prompt_encoder_config": {"image_size": 64, "patch_size": 16}},
    "sam2_hiera_det_model": HIERA,
    "sam2_vision_model": {"backbone_config": HIERA, "backbone_channel_list": [64, 32, 16, 8], "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]]},
    "sam3_tracker": {"vision_config": {"backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]]}},
    "tipsv2_dpt": DEPTH,
    "upernet": {"backbone_config": {"out_features": ["stage1", "stage2", "stage3", "stage4"]}},
    "vibevoice": {"audio_config": TOKENIZER, "semantic_model_config": TOKENIZER},
    "vibevoice_acoustic_tokenizer_decoder": TOKENIZER,
    "vibevoice_asr": {"acoustic_tokenizer_encoder_config": TOKENIZER, "semantic_tokenizer_encoder_config": TOKENIZER},
    "xcodec2": {"quantization_dim": 64, "encoder_hidden_size": 8},
    "xmod": {"default_language": "en_XX"},
    "zamba2": {**dict.fromkeys(("mamba_headdim", "attention_hidden_size", "attention_head_dim"), COMPUTED), "hybrid_layer_ids": [1]},
    "zoedepth": {**DEPTH, "bottleneck_features": 32},
}
