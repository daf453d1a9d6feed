"""From LLVM's text of kernels to one WebAssembly module, with the LLVM that Numba brings along.

LLVM writes an object file, which is a WebAssembly module already but for two things that a linker
would do: it has no list of what it exports, and what it imports has to come from somewhere. As
everything is in one object, addresses are final. So the list is added here, and the page brings
the few functions that the kernels want from outside (``web/src/page/kernels.ts``): room for arrays,
and mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import llvmlite.binding as llvm

from sandtable.errors import SandtableError
from sandtable.pages.entries import Entry

__all__ = ["PROVIDED", "data_end", "webassembly"]

TRIPLE = "wasm32-unknown-unknown"
# All that every browser of the last five years has, and that no result depends on.
FEATURES = "+bulk-memory,+bulk-memory-opt,+mutable-globals,+nontrapping-fptoint,+sign-ext"

# What the page has for kernels that call it; a test compares it with the page's own list.
PROVIDED = frozenset(
    (
        "NRT_MemInfo_alloc_aligned",
        "NRT_MemInfo_alloc_safe_aligned",
        "NRT_MemInfo_call_dtor",
        "numba_attempt_nocopy_reshape",
        "kernel_failed",
        "memcpy",
        "memmove",
        "memset",
        # mathematics
        "exp", "expf", "log", "logf", "pow", "powf", "sin", "sinf", "cos", "cosf", "tan", "tanf",
        "tanh", "tanhf", "atan", "atanf", "atan2", "atan2f", "log1p", "log1pf", "expm1", "expm1f",
        "sinh", "sinhf", "cosh", "coshf",
    )
)  # fmt: skip
PLACES = frozenset({"__linear_memory", "__stack_pointer", "__indirect_function_table"})

HEADER = b"\0asm\1\0\0\0"
CUSTOM, IMPORTS, EXPORTS, DATA = 0, 2, 7, 11
ORDER = (1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11)  # in which a module has its sections
SYMBOL_TABLE = 8
FUNCTION, LOCAL, UNDEFINED, NAMED = 0, 0x2, 0x10, 0x40

WRAPPER = """
declare i32 @"{symbol}"(ptr, ptr{types})
declare void @kernel_failed()
define i32 @"{name}"({arguments}) {{
entry:
  %result = alloca i32
  %problem = alloca ptr
  %status = call i32 @"{symbol}"(ptr %result, ptr %problem{passed})
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %done, label %failed
failed:
  call void @kernel_failed()
  unreachable
done:
  %value = load i32, ptr %result
  ret i32 %value
}}
"""
# Numba keeps what a failed kernel would say as pickled bytes with paths of this machine; the page
# only says that a kernel failed.
PICKLED = re.compile(r'^(@"?\.const\.pickle[^=]*= [a-z_ ]*\[\d+ x i8\]) c".*?"(.*)$', re.M)


def webassembly(entries: Sequence[Entry]) -> bytes:
    """Return one module that exports the entries by their names."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(TRIPLE)
    except RuntimeError:
        raise SandtableError(
            "this build of llvmlite has no WebAssembly in it; the wheels of the project have it"
        ) from None
    machine = target.create_target_machine(opt=2, features=FEATURES, reloc="static")
    module = linked(entries, str(machine.target_data))
    optimise(module, machine, {each.name for each in entries})
    return with_exports(machine.emit_object(module))


def linked(entries: Sequence[Entry], layout: str) -> llvm.ModuleRef:
    """Put the texts of all entries into one module for the browser's machine."""
    whole = parsed("", layout)
    for entry in entries:
        whole.link_in(parsed(entry.text, layout))
        whole.link_in(parsed(wrapper(entry), layout))
    whole.verify()
    return whole


def parsed(text: str, layout: str) -> llvm.ModuleRef:
    """Read LLVM's text as if it had been written for the browser's machine."""
    text = re.sub(r"^target (datalayout|triple) = .*$", "", text, flags=re.M)
    text = PICKLED.sub(r"\1 zeroinitializer\2", text)
    text = text.replace(" = internal constant ", " = internal unnamed_addr constant ")  # mergeable
    header = f'target datalayout = "{layout}"\ntarget triple = "{TRIPLE}"\n'
    return llvm.parse_assembly(header + text)


def wrapper(entry: Entry) -> str:
    """Write the function that a page calls: it has one plain result, as functions there do."""
    named = [f"{kind} %a{number}" for number, kind in enumerate(entry.arguments)]
    return WRAPPER.format(
        name=entry.name,
        symbol=entry.symbol,
        types="".join(f", {kind}" for kind in entry.arguments),
        arguments=", ".join(named),
        passed="".join(f", {each}" for each in named),
    )


def optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, kept: set[str]) -> None:
    """Optimise the module for the browser, and leave out what no entry needs.

    Loops are not turned into vectors: the browsers' are short, and the code would grow.
    """
    for function in module.functions:
        if not function.is_declaration and function.name not in kept:
            function.linkage = llvm.Linkage.internal
    for value in module.global_variables:
        if not value.is_declaration:
            value.linkage = llvm.Linkage.internal
    tuning = llvm.PipelineTuningOptions(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    builder = llvm.PassBuilder(machine, tuning)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.add_constant_merge_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)


# --- the file ------------------------------------------------------------------------------------


def with_exports(unlinked: bytes) -> bytes:
    """Return an object file as a module that exports every function it defines for others."""
    sections = dict(sections_of(unlinked))
    strange = {name for name in imports_of(sections[IMPORTS]) if name not in PROVIDED | PLACES}
    if strange:
        raise SandtableError(
            f"the kernels call {', '.join(sorted(strange))}, which a page does not have"
        )
    functions = exported(sections["linking"])
    body = leb(len(functions)) + b"".join(
        leb(len(name.encode())) + name.encode() + bytes([FUNCTION]) + leb(index)
        for name, index in functions
    )
    sections[EXPORTS] = body
    parts = [
        bytes([kind]) + leb(len(sections[kind])) + sections[kind]
        for kind in ORDER
        if kind in sections
    ]
    return HEADER + b"".join(parts)


def sections_of(module: bytes) -> Iterator[tuple[int | str, bytes]]:
    """Return the sections by their numbers, custom ones by their names."""
    place = len(HEADER)
    while place < len(module):
        kind = module[place]
        size, place = read_leb(module, place + 1)
        body = module[place : place + size]
        place += size
        if kind != CUSTOM:
            yield kind, body
            continue
        length, at = read_leb(body, 0)
        yield body[at : at + length].decode(), body[at + length :]


def data_end(module: bytes) -> int:
    """Return the address after the last of a module's data."""
    body = dict(sections_of(module)).get(DATA, b"\0")
    count, at = read_leb(body, 0)
    end = 0
    for _ in range(count):
        address, at = read_leb(body, at + 2)  # after the kind of segment and i32.const
        size, at = read_leb(body, at + 1)  # after the end of the expression
        end, at = max(end, address + size), at + size
    return end


def imports_of(body: bytes) -> Iterator[str]:
    """Return the names of all that is imported."""
    count, at = read_leb(body, 0)
    for _ in range(count):
        _, at = read_name(body, at)
        name, at = read_name(body, at)
        kind, at = body[at], at + 1
        if kind == 0:  # a function: its type
            _, at = read_leb(body, at)
        elif kind == 3:  # a global: type and whether it changes
            at += 2
        else:  # a table (with its type) or a memory: limits
            at += kind == 1
            flags, at = read_leb(body, at)
            for _ in range(1 + (flags & 1)):
                _, at = read_leb(body, at)
        yield name


def exported(linking: bytes) -> list[tuple[str, int]]:
    """Return name and number of every function that the object defines for others."""
    _, at = read_leb(linking, 0)  # the version of the format
    found: list[tuple[str, int]] = []
    while at < len(linking):
        kind = linking[at]
        size, at = read_leb(linking, at + 1)
        if kind == SYMBOL_TABLE:
            found = list(functions_of(linking[at : at + size]))
        at += size
    return found


def functions_of(table: bytes) -> Iterator[tuple[str, int]]:
    """Return the functions of a table of symbols that are defined and not local."""
    count, at = read_leb(table, 0)
    for _ in range(count):
        kind = table[at]
        flags, at = read_leb(table, at + 1)
        if kind == 1:  # data: name, and where it lies if it is here
            _, at = read_name(table, at)
            for _ in range(0 if flags & UNDEFINED else 3):
                _, at = read_leb(table, at)
        elif kind == 3:  # a section
            _, at = read_leb(table, at)
        else:
            index, at = read_leb(table, at)
            name = ""
            if not flags & UNDEFINED or flags & NAMED:
                name, at = read_name(table, at)
            if kind == FUNCTION and not flags & (UNDEFINED | LOCAL):
                yield name, index


def read_name(data: bytes, at: int) -> tuple[str, int]:
    """Read a text with its length before it; return where the next thing is, too."""
    length, at = read_leb(data, at)
    return data[at : at + length].decode(), at + length


def read_leb(data: bytes, at: int) -> tuple[int, int]:
    """Read a whole number in groups of seven bits; return where the next thing is, too.

    >>> read_leb(bytes([0xE5, 0x8E, 0x26]), 0)
    (624485, 3)
    """
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def leb(value: int) -> bytes:
    """Write a whole number in groups of seven bits.

    >>> leb(624485).hex()
    'e58e26'
    """
    groups = []
    while True:
        value, low = value >> 7, value & 0x7F
        groups.append(low | (0x80 if value else 0))
        if not value:
            return bytes(groups)
