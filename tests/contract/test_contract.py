"""No sentence of docs/contract.md without a scenario or a test, and no citation of a sentence that
is not there."""

import pytest

from sentences import citations, has_test, pinned, scenarios, sentences

SENTENCES = sentences()
CITED = {key for _, scenario in scenarios() for key in citations(scenario["contract"])}
PINNED = pinned()


def test_the_contract_has_its_sentences() -> None:
    assert len(SENTENCES) > 100
    assert {key.rsplit(" ", 1)[0] for key in SENTENCES} >= {"Options", "Time", "Admission", "Running", "Ending", "Errors"}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_sentence_has_a_scenario_or_a_test(sentence: str) -> None:
    assert sentence in CITED or sentence in PINNED, f"nothing pins {sentence}: {SENTENCES[sentence]}"


@pytest.mark.parametrize("sentence", PINNED)
def test_every_test_that_is_named_exists(sentence: str) -> None:
    assert PINNED[sentence], "names no test"
    missing = [f"{file}: {name}" for file, name in PINNED[sentence].items() if not has_test(file, name)]
    assert not missing


def test_every_citation_is_of_a_sentence() -> None:
    assert not CITED - SENTENCES.keys()
    assert not PINNED.keys() - SENTENCES.keys()
