"""Values for the properties of the domain."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

#: any code points, lone surrogates and unassigned ones too; made from numbers, which needs no table of Unicode
texts = st.lists(st.integers(0, 0x10FFFF), max_size=12).map(lambda codes: "".join(map(chr, codes)))
#: text that can be encoded
unicode_texts = texts.map(lambda text: text.encode("utf-8", "ignore").decode("utf-8"))

digits = st.integers(-(10**38) + 1, 10**38 - 1)
decimals = st.builds(lambda number, exponent: Decimal(number).scaleb(exponent), digits, st.integers(-130, 87))
numbers = st.one_of(st.integers(-(10**38) + 1, 10**38 - 1), decimals.filter(lambda number: abs(number) >= 1))
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | unicode_texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(unicode_texts, inner, max_size=4),
    max_leaves=8,
)
documents = st.dictionaries(unicode_texts, values, max_size=5)
