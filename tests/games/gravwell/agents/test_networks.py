"""Expression networks: kernels against a twin, mutations that keep them valid, files, drawings."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.gravwell.agents.plain_networks import ARITHMETIC, grown, grown_brain, values_of
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.neuro_evolution.brain import (
    HAND_INPUTS,
    NETWORK_INPUTS,
    NETWORK_OUTPUTS,
    Brain,
    brain_text,
    load_brain,
)
from sandtable.games.gravwell.agents.neuro_evolution.drawing import brain_svg
from sandtable.games.gravwell.agents.neuro_evolution.formulas import (
    Formula,
    brain_lines,
    sheet_of,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import (
    LARGEST,
    Network,
    Node,
    evaluate,
    layers,
    output,
    program_of,
    reached,
    room_for,
)
from sandtable.games.gravwell.learning.neuro_evolution.mutations import (
    add_node,
    change_operation,
    change_weight,
    delete_node,
    first_network,
    insert_node,
    rewire,
)

KINDS = st.sampled_from(sorted(NETWORK_INPUTS))
SEEDS = st.integers(0, 2**40)
CHANGES = st.integers(0, 60)
SEVERAL = settings(max_examples=60, deadline=None)


def some_inputs(count, seed, size=2.0):
    return (np.random.default_rng(seed).random(count) * 2 * size - size).tolist()


@SEVERAL
@given(KINDS, CHANGES, SEEDS, st.sampled_from([2.0, 60.0]))
def test_kernel_computes_what_the_twin_does(kind, changes, seed, size):
    network = grown(kind, changes, seed)
    program = program_of([None, network, grown("stop", 5, seed)])
    none, begin = (int(cell) for cell in program.cells[:2])
    inputs = some_inputs(network.inputs, seed, size)
    values = np.full(room_for(program, begin), np.nan)
    values[: network.inputs] = inputs
    evaluate(program, begin, values)
    assert none == 0
    assert values.tolist() == values_of(network, inputs)
    outputs = [output(program, begin, values, place) for place in range(len(network.outputs))]
    assert outputs == [values[value] for value in network.outputs]


def test_long_products_stay_finite():
    nodes = tuple(Node(2, (value, value)) for value in range(2, 40))
    network = Network(3, (Node(2, (0, 1)), *nodes[1:]), (2,))
    assert values_of(network, [1e9, -1e9, 1.0])[3] == -LARGEST
    assert all(abs(value) <= LARGEST for value in values_of(network, [1e9, -1e9, 1.0]))


def test_a_network_uses_earlier_values_only():
    with pytest.raises(ValueError, match="node 1 does not use earlier values only"):
        Network(2, (Node(0, (0, 2)),), (2,))
    with pytest.raises(ValueError, match="output"):
        Network(2, (), (2,))
    with pytest.raises(ValueError, match="node 1"):
        Network(2, (Node(0, (0, 1), (np.nan, 1.0)),), (2,))


def test_division_and_modulo_are_protected():
    nodes = (Node(5, (0, 1)), Node(6, (0, 1)), Node(5, (0, 2)), Node(6, (0, 2)))
    network = Network(3, nodes, (3, 4, 5, 6))
    for left, right in ((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1e11, 1e-3)):
        values = np.array([left, right, 0.0, 0, 0, 0, 0])
        program = program_of([network])
        evaluate(program, program.cells[0], values)
        assert values.tolist() == pytest.approx(values_of(network, [left, right, 0.0]))
        assert values[5] == values[6] == 0.0
    written = brain_lines(Brain(hand=Network(30, (Node(6, (0, 3)),), (30,))))
    assert "card number = remainder(card 1 value, card 2 value)" in written


# --- mutations -----------------------------------------------------------------------------------


def check_valid(network, kind):
    """Feed-forward (a Network refuses anything else), all inputs there, nothing unused."""
    assert network.inputs == len(NETWORK_INPUTS[kind])
    assert len(network.outputs) == NETWORK_OUTPUTS[kind]
    found = layers(network)
    for value, node in enumerate(network.nodes, start=network.inputs):
        assert found[value] == 1 + max(found[source] for source in node.sources)
    used = reached(network, network.outputs)
    assert [value for value in used if value >= network.inputs] == [
        network.inputs + place for place in range(len(network.nodes))
    ]


@SEVERAL
@given(KINDS, CHANGES, SEEDS)
def test_mutations_keep_networks_valid(kind, changes, seed):
    check_valid(grown(kind, changes, seed), kind)


@SEVERAL
@given(CHANGES, SEEDS)
def test_adding_puts_a_node_behind_an_output(changes, seed):
    before = grown("hand", changes, seed)
    after = add_node(before, Dice(seed))
    assert after.nodes[:-1] == before.nodes
    new = before.inputs + len(before.nodes)
    (place,) = [p for p in range(8) if after.outputs[p] != before.outputs[p]]
    assert after.outputs[place] == new
    assert after.nodes[-1].sources[0] == before.outputs[place]
    assert after.nodes[-1].weights == (1.0, 1.0)
    assert after.nodes[-1].operation < 3
    assert layers(after)[new] == layers(before)[before.outputs[place]] + 1


@SEVERAL
@given(CHANGES, SEEDS)
def test_deleting_never_adds_and_never_takes_inputs(changes, seed):
    before = grown("hand", changes, seed)
    after = delete_node(before, Dice(seed))
    check_valid(after, "hand")
    assert len(after.nodes) <= len(before.nodes)
    if before.nodes:
        assert max(layers(after)) <= max(layers(before))
    else:  # nothing to delete: one output becomes another input
        assert sum(a != b for a, b in zip(after.outputs, before.outputs, strict=True)) == 1


def test_deleting_covers_all_published_cases():
    shared = Network(4, (Node(0, (0, 1)), Node(2, (4, 2)), Node(1, (4, 3))), (5, 6))
    seen = {delete_node(shared, Dice(1, "case", number)) for number in range(300)}
    gone = {Network(4, (Node(2, (a, 2)), Node(1, (b, 3))), (4, 5)) for a in (0, 1) for b in (0, 1)}
    assert gone < seen  # the hidden node, with a source of it for each user
    assert Network(4, (Node(0, (0, 1)), Node(1, (4, 3))), (4, 5)) in seen  # the output node
    assert Network(4, (Node(0, (0, 1)), Node(2, (4, 0)), Node(1, (4, 3))), (5, 6)) in seen  # input


def test_first_networks_have_different_inputs_as_outputs():
    for seed in range(20):
        network = first_network(30, 8, Dice(seed))
        assert len(set(network.outputs)) == 8
        assert network.nodes == ()


@SEVERAL
@given(CHANGES, SEEDS)
def test_inserting_changes_one_connection(changes, seed):
    before = grown("card", changes, seed)
    after = insert_node(before, Dice(seed), range(5))
    check_valid(after, "card")
    assert len(after.nodes) == len(before.nodes) + bool(before.nodes)


def test_weights_operations_and_sources_change_one_thing():
    before = grown("card", 60, 11)
    assert before.nodes
    for change in (
        change_weight,
        rewire,
        lambda network, dice: change_operation(network, dice, range(5)),
    ):
        for number in range(40):
            after = change(before, Dice(number))
            check_valid(after, "card")
            if len(after.nodes) == len(before.nodes):
                pairs = zip(before.nodes, after.nodes, strict=True)
                assert sum(old != new for old, new in pairs) <= 1
    bare = first_network(5, 1, Dice(0))
    assert change_weight(bare, Dice(0)) == rewire(bare, Dice(0)) == bare


# --- files ---------------------------------------------------------------------------------------


@SEVERAL
@given(SEEDS)
def test_files_give_back_what_was_written(tmp_path_factory, seed):
    path = tmp_path_factory.mktemp("networks") / "networks.json"
    for kinds in (["hand"], ["card", "stack", "stop"], ["card"]):
        brain = grown_brain(seed, *kinds)
        path.write_text(brain_text(brain, {"seed": seed}), encoding="utf-8")
        assert load_brain(path) == brain
        assert json.loads(path.read_text())["about"] == {"seed": seed}


def spoiled(**changes):
    data = json.loads(brain_text(Brain(card=grown("card", 30, 5)), {}))
    node = data["networks"]["card"]["nodes"][0]
    for key, value in changes.items():
        where = node if key in node else data["networks"]["card"] if key == "outputs" else data
        where[key] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is not a file of networks: it is no JSON"),
        ("[" * 5000, "is not a file of networks: "),
        ("[1, 2]", "it does not say 'format'"),
        (spoiled(version=7), "its version is 7, only 1 can be read"),
        (spoiled(networks={}), "it has no 'networks'"),
        (spoiled(networks={"brain": {}}), "there is no network 'brain', only hand, card, stack"),
        (
            spoiled(networks={"stop": {"nodes": [], "outputs": ["one"]}}),
            "one of the networks 'hand'",
        ),
        (spoiled(networks={"card": {"outputs": ["one"]}}), "'card' has no list of 'nodes'"),
        (spoiled(operation="root"), "node 1 of 'card' has no operation of add, subtract"),
        (spoiled(sources=["one"]), "node 1 of 'card' has not two sources and two weights"),
        (spoiled(sources=["node 2", "one"]), "node 1 of 'card': there is no value 'node 2' before"),
        (spoiled(weights=[1, "2"]), "node 1 of 'card' has not two sources and two weights"),
        (spoiled(weights=[1, 1e9]), "node 1 of 'card' has a weight beyond 1e+06"),
        (spoiled(weights=[float("nan"), 1]), "node 1 of 'card' has a weight beyond 1e+06"),
        (spoiled(outputs=["one", "one"]), "'card' has 2 outputs, not 1"),
        (spoiled(outputs="one"), "the outputs of 'card' name no values"),
    ],
)
def test_broken_files_get_one_line(tmp_path, text, expected):
    path = tmp_path / "networks.json"
    path.write_text(text)
    with pytest.raises(SandtableError) as caught:
        load_brain(path)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SandtableError, match=r"cannot read the networks .*: No such file"):
        load_brain(tmp_path / "none.json")
    with pytest.raises(SandtableError, match=r"cannot read the networks .*: Is a directory"):
        load_brain(tmp_path)
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(SandtableError, match="it is no text"):
        load_brain(tmp_path / "picture")
    (tmp_path / "large").write_bytes(b" " * (2 << 20))
    with pytest.raises(SandtableError, match="too large"):
        load_brain(tmp_path / "large")


# --- formulas and drawings -----------------------------------------------------------------------


def value_in(of, inputs):
    """The value of a formula, computed term by term."""
    if isinstance(of, str):
        return inputs[of]
    terms = [value_in(part, inputs) * weight for part, weight in of.terms]
    if of.sign in ("min", "max"):
        return ARITHMETIC[f"{of.sign}imum"](*terms)
    if of.sign == "+":
        return of.number + sum(terms)
    product = of.number
    for term in terms:
        product *= term
    return product


@SEVERAL
@given(KINDS, CHANGES, SEEDS)
def test_formulas_compute_what_the_network_does(kind, changes, seed):
    network = grown(kind, changes, seed)
    numbers = some_inputs(network.inputs, seed)
    names = NETWORK_INPUTS[kind]
    if "one" in names:
        numbers[names.index("one")] = 1.0
    expected = values_of(network, numbers)
    if max(map(abs, expected)) >= LARGEST:
        return  # formulas do not show the bounds
    inputs = dict(zip(names, numbers, strict=True))
    found = [value_in(of, inputs) for _, of in sheet_of(kind, network).outputs]
    wanted = [expected[value] for value in network.outputs]
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-6 * max(map(abs, expected)))


def test_lines_of_a_known_network():
    names = HAND_INPUTS.index
    value, own, hulk = names("card 1 value"), names("own tile"), names("hulk 1")
    nodes = (Node(0, (value, own)), Node(1, (30, hulk)), Node(2, (30, own)))
    network = Network(30, nodes, (31, 32, *range(6)))
    lines = brain_lines(Brain(hand=network)).splitlines()
    assert lines[0] == (
        "hand: plays the card in the place with the highest output (3 nodes, 8 inputs in use)"
    )
    assert lines[1:5] == [
        "       a = card 1 value + own tile",
        "  card 1 = a - hulk 1",
        "  card 2 = a * own tile",
        "  card 3 = card 1 value",
    ]


@SEVERAL
@given(SEEDS)
def test_drawings_show_every_input_weight_and_output(seed):
    brain = grown_brain(seed, "card", "stack", "stop")
    svg = brain_svg(brain)
    assert svg.isascii()
    root = ElementTree.fromstring(svg)
    words = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words.count("output") == 3
    for kind in ("card", "stack", "stop"):
        sheet = sheet_of(kind, getattr(brain, kind))
        assert sheet.title in words
        for formula in sheet.formulas:
            for of, weight in formula.terms:
                name = of.name if isinstance(of, Formula) else of
                assert name == "one" or name in words
                assert weight == 1.0 or f"{weight:.3g}" in words
    width, height = float(root.get("width")), float(root.get("height"))
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert 0 <= float(rect.get("x", 0)) <= width
        assert float(rect.get("width")) <= width and float(rect.get("height")) <= height
    assert not re.search("nan|inf", svg)
