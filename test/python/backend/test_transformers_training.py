"""Small models of transformers, trained through torch.compile, next to eager PyTorch."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
pytest.importorskip("transformers")
import transformers_models as models  # noqa: E402
from agreement_with_eager import compiled  # noqa: E402

CLOSE = {"rtol": 5e-4, "atol": 5e-5}


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        for name in ("attn_dropout", "attention_dropout", "dropout_prob"):
            if isinstance(getattr(module, name, None), float):
                setattr(module, name, 0.0)
    return model.train()


def inputs_for(make_inputs, labels):
    inputs = make_inputs(3)
    return {**inputs, "labels": inputs["input_ids"] if labels is None else torch.randint(0, labels, (3,))}


@pytest.mark.parametrize("make, labels", [(models.gpt2, None), (models.masked_bert, 50), (models.llama, None)],
                         ids=["gpt2", "bert", "llama"])
def test_three_steps_of_training(make, labels):
    eager, make_inputs = make()
    without_dropout(eager)
    model = copy.deepcopy(eager)
    batches = [inputs_for(make_inputs, labels) for _ in range(3)]
    losses = []
    for one, run in ((model, compiled(model)), (eager, eager)):
        optimizer = torch.optim.AdamW(one.parameters(), 1e-3, eps=1e-3)
        losses.append([])
        for batch in batches:
            optimizer.zero_grad()
            loss = run(**batch).loss
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.detach())
    torch.testing.assert_close(*losses, **CLOSE)
    torch.testing.assert_close(model.state_dict(), eager.state_dict(), **CLOSE)


@pytest.mark.parametrize("make, labels", [(models.gpt2, None), (models.masked_bert, 50)], ids=["gpt2", "bert"])
def test_training_with_dropout_learns(make, labels):
    model, make_inputs = make()
    run, optimizer = compiled(model.train()), torch.optim.AdamW(model.parameters(), 5e-3)
    batch = inputs_for(make_inputs, labels)
    losses = []
    for _ in range(25):
        optimizer.zero_grad()
        loss = run(**batch).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    assert torch.stack(losses[-3:]).mean() < 0.7 * losses[0]
