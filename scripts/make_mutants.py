#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes mutants of C++ sources: small changes of one operator, constant, condition, argument or
statement, found on the tokens of the text.

usage: make_mutants.py <file>...        prints every mutant of these files

A mutant is a place of the text (an expression, or a whole statement) and the text that stands there
instead. What the compiler must know at compile time is left alone: constexpr, template arguments,
assertions, static objects, immediate operands of intrinsics, code that another threading runtime or
sanitizer uses; and so are estimates of time, numbers of threads and sizes of blocks, which change no
result.
"""
import bisect
import collections
import hashlib
import pathlib
import re
import sys

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>(?:u8|[uUL])?R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?[0-9](?:[0-9a-zA-Z_.']|[eEpP][+-])*)
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<mark><=>|\.\.\.|->\*|<<=|>>=|::|->|\+\+|--|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|<<|(?<=\s)>>(?=\s)|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

KEYWORDS = set("""return if else for while do switch case default break continue goto try catch throw
    new delete using typedef template static constexpr consteval constinit thread_local const alignas auto
    struct class union enum namespace operator sizeof alignof decltype static_assert asm public private
    protected friend virtual explicit inline extern""".split())
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
# A bound moves by one in the head of a loop, outwards where the loop counts up: one that ends early
# often leaves its rest to a slower loop with equal results. Elsewhere, where a comparison often
# separates a faster way from a slower one, it turns round.
BOUNDS = {"<": "<=", "<=": "- 1 <=", ">": ">=", ">=": ">"}
OPERATORS = {"<": ("comparison", ">="), "<=": ("comparison", ">"), ">": ("comparison", "<="),
             ">=": ("comparison", "<"), "==": ("comparison", "!="), "!=": ("comparison", "=="),
             "+": ("arithmetic", "-"), "-": ("arithmetic", "+"), "*": ("arithmetic", "+"),
             "/": ("arithmetic", "*"), "%": ("arithmetic", "/"),
             "&&": ("logic", "||"), "||": ("logic", "&&")}
EXCHANGED_NAMES = {"min": ("extreme", "max"), "max": ("extreme", "min"), "floor": ("rounding", "ceil"),
                   "ceil": ("rounding", "floor")}
# What needs constants, or has no value of its own.
LEFT_ALONE = {"constexpr", "consteval", "constinit", "static", "thread_local", "static_assert", "using",
              "typedef", "template", "enum", "asm", "case", "operator", "sizeof", "alignof", "decltype",
              "noexcept", "assert"}
# What the thread sanitizer alone is told, and what happens at a fork, which no judge's case does.
UNSEEN = ("hand_over", "take_over", "pthread_atfork")
# Estimates of time share work among threads, and blocks share it among caches; results depend on
# neither the estimates nor the sizes that these names are set to.
ESTIMATE = re.compile(r"(^|_)(cost|ns)(_|$)")
COUNT_AS_REAL = re.compile(r"const double \w+ = static_cast < double")  # of operations, for an estimate
SIZES_OF_BLOCKS = {"tile_rows", "tile_columns", "MC", "NC", "KC", "streaming", "joins"}
# Functions that only say how much time something takes, or how many threads or pieces share the work.
CHOICE_OF_SPEED = re.compile(r"(^|_)(cost|ns)$|^(max_threads|threads_for|(threads_)?can_start|"
                             r"weights_gradient_chunks|has_small_tiles)$")
LONGEST = 240  # characters of a mutated expression

Token = collections.namedtuple("Token", "kind text start end")
Mutant = collections.namedtuple("Mutant", "file line operator start end original mutated kind identity")


def tokens_of(text):
    """Tokens without comments, strings included; directives and what they exclude are left out."""
    found, depths = [], []  # depths: per open #if, whether its lines count
    for m in TOKEN.finditer(text):
        kind = m.lastgroup
        if kind == "directive":
            word = re.match(r"\s*#\s*(\w*)\s*(\w*)", m[0])
            if word[1] in ("if", "ifdef", "ifndef"):
                depths.append(word[1] == "if" or word[2] == "NDEBUG")
            elif word[1] in ("elif", "else") and depths:
                depths[-1] = False
            elif word[1] == "endif" and depths:
                depths.pop()
        elif kind != "comment" and not m[0].isspace() and all(depths):
            found.append(Token(kind, m[0], m.start(), m.end()))
    return found


class Source:
    """The tokens of a file with its brackets matched and its blocks of code recognised."""

    def __init__(self, name, text):
        self.name, self.text, self.tokens = name, text, tokens_of(text)
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.partner, self.parent = {}, [None] * len(self.tokens)
        self.match_angles()
        self.match_brackets()
        self.code = {}
        for i, token in enumerate(self.tokens):
            if token.text == "{" and i in self.partner:
                self.code[i] = self.is_code(i)

    def spaced(self, i):
        """An operator with blanks on both sides: binary, and not the bracket of a template."""
        token = self.tokens[i]
        return self.text[token.start - 1].isspace() and self.text[token.end:token.end + 1].isspace()

    def text_at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def match_angles(self):
        self.in_angles, self.angles = set(), {}
        for i, token in enumerate(self.tokens):
            if token.text != "<" or self.spaced(i) or i in self.angles:
                continue
            if self.tokens[i - 1].kind != "name":
                continue
            depth, k = 1, i + 1
            while depth and k < len(self.tokens) and k < i + 80 and self.text_at(k) not in (";", "{"):
                if self.text_at(k) == "<":
                    depth += 1
                if self.text_at(k) == ">" and self.text[self.tokens[k].start - 1] != " ":
                    depth -= 1
                k += 1
            if depth == 0:
                self.angles[i] = k - 1
                self.in_angles.update(range(i, k))

    def match_brackets(self):
        open_ones, pairs = [], {")": "(", "]": "[", "}": "{"}
        for i, token in enumerate(self.tokens):
            if token.kind != "mark":
                self.parent[i] = open_ones[-1] if open_ones else None
                continue
            if token.text in pairs and open_ones and self.text_at(open_ones[-1]) == pairs[token.text]:
                self.partner[i] = open_ones.pop()
                self.partner[self.partner[i]] = i
            self.parent[i] = open_ones[-1] if open_ones else None
            if token.text in ("(", "[", "{"):
                open_ones.append(i)

    def before_statement(self, i):
        """The tokens from the start of the statement or declaration up to token i."""
        k, found = i - 1, []
        while k >= 0 and len(found) < 120:
            text = self.text_at(k)
            if text == ";" or (text == "{" and self.text_at(k - 1) not in ("(", ",", "=")) or \
                    (text == "}" and not self.is_initializer(k)):
                break
            found.append(text)
            k -= 1
        return found

    def is_initializer(self, closing):
        opening = self.partner.get(closing)
        return opening is not None and (self.tokens[opening - 1].kind == "name" or
                                        self.text_at(opening - 1) in (">", ",", "(", "=", "{")) and \
            self.text_at(opening - 1) not in ("else", "do", "try", "const", "noexcept", "override")

    def is_code(self, brace):
        """True if the braces hold statements that run; not of a constexpr function."""
        k = brace - 1
        while self.text_at(k) in ("const", "noexcept", "override", "final", "mutable"):
            k -= 1
        before = self.before_statement(brace)
        if self.text_at(k) in ("else", "do", "try", "]"):
            return True
        if self.text_at(k) == ")":
            return not {"constexpr", "consteval"} & set(before) or "if" in before
        if "->" in before and ")" in before and self.parent[brace] is not None:
            return "constexpr" not in before
        if {"struct", "class", "union", "enum", "namespace"} & set(before):
            return False
        parent = self.parent[brace]
        return self.text_at(k) in (";", "}") and parent is not None and self.code.get(parent, False)

    def runs(self, i):
        """True if token i is in a function that runs, with everything around it."""
        k, inside = self.parent[i], False
        while k is not None:
            if self.text_at(k) == "{":
                inside |= self.code.get(k, False)
            elif self.text_at(k - 1) in LEFT_ALONE or self.text_at(k - 1).startswith(
                    ("_mm", "_tile", "__builtin", *UNSEEN)):
                return False
            elif self.text_at(k) == "[" and self.tokens[k - 1].kind == "name" and \
                    self.tokens[k - 2].kind == "name" and self.text_at(k - 2) not in KEYWORDS:
                return False  # the extent of an array
            k = self.parent[k]
        if not inside:
            return False
        k = self.parent[i]
        while k is not None:  # a lambda of a constexpr object, a constexpr function
            if self.text_at(k) == "{" and {"constexpr", "consteval"} & set(self.before_statement(k)) \
                    and "if" not in self.before_statement(k):
                return False
            k = self.parent[k]
        return not LEFT_ALONE & set(self.before_statement(i)) and not self.estimates(i) and \
            not self.is_in_choice_of_speed(i)

    def is_in_choice_of_speed(self, i):
        k = self.parent[i]
        while k is not None:
            closing = k - 1
            while self.text_at(closing) in ("const", "noexcept", "override"):
                closing -= 1
            if self.text_at(k) == "{" and self.text_at(closing) == ")" and closing in self.partner and \
                    CHOICE_OF_SPEED.search(self.text_at(self.partner[closing] - 1)):
                return True
            k = self.parent[k]
        return False

    def is_in_operator(self, i):
        """True in a function that is itself an operator: another one may be made of it."""
        k = self.parent[i]
        while k is not None:
            if self.text_at(k) == "{" and "operator" in self.before_statement(k):
                return True
            k = self.parent[k]
        return False

    def estimates(self, i):
        """True if the statement of token i, a line's worth on either side, names an estimate of time or
        sets the size of a block."""
        low = max(0, i - len(self.before_statement(i)))
        high = next((k for k in range(i, min(i + 60, len(self.tokens)))
                     if self.text_at(k) in (";", "{", "}")), i)
        statement = self.tokens[low:high]
        sets = [a.text for a, b in zip(statement, statement[1:]) if b.text == "="]
        text = " ".join(t.text for t in statement)
        return bool(SIZES_OF_BLOCKS & set(sets)) or bool(COUNT_AS_REAL.search(text)) or \
            self.is_cost_of_items(i) or \
            any(ESTIMATE.search(t.text) for t in statement if t.kind == "name")

    def is_cost_of_items(self, i):
        """True in an argument with a real number of a function that shares items among threads."""
        opening = self.parent[i]
        while opening is not None and self.text_at(opening) != "{":
            if self.text_at(opening - 1).startswith(("for_each", "parallel_for")):
                low = high = i
                while low > opening + 1 and not (
                        self.text_at(low - 1) == "," and self.parent[low - 1] == opening):
                    low -= 1
                end = self.partner.get(opening, i)
                while high + 1 < end and not (
                        self.text_at(high + 1) == "," and self.parent[high + 1] == opening):
                    high += 1
                return any(t.kind == "number" and "." in t.text for t in self.tokens[low:high + 1])
            opening = self.parent[opening]
        return False

    def expression(self, i):
        """Bounds of the largest expression around token i that no bracket, comma, semicolon,
        assignment, or part of a conditional expression ends; None if it holds statements."""
        stops = ASSIGNMENTS | {",", ";", "?", ":", "(", "[", "{", "return", "else", "throw", "}", ")",
                               "]", "in"}
        low = i
        while low > 0:
            k = low - 1
            if k in self.in_angles:
                low = k
                continue
            text = self.text_at(k)
            if text in (")", "]") or (text == "}" and self.is_initializer(k)):
                opening = self.partner.get(k)
                if opening is None or self.text_at(opening - 1) in ("if", "for", "while", "switch"):
                    break
                low = opening
            elif text in stops:
                break
            else:
                low = k
        high = i + 1
        while high < len(self.tokens):
            text = self.text_at(high)
            if high in self.in_angles:
                high += 1
            elif text in ("(", "[") or (text == "{" and self.is_initializer(self.partner.get(high, 0))):
                if high not in self.partner:
                    return None
                high = self.partner[high] + 1
            elif text in stops:
                break
            else:
                high += 1
        inside = self.text[self.tokens[low].start:self.tokens[high - 1].end]
        strings = any(t.kind == "string" for t in self.tokens[low:high])
        if strings or len(inside) > LONGEST or "#" in inside or "//" in inside:
            return None
        if any(self.code.get(k, False) for k in range(low, high)):
            return None
        return low, high

    def line_of(self, position):
        return bisect.bisect_right(self.line_starts, position)


class Maker:
    def __init__(self, source):
        self.source, self.mutants, self.seen = source, [], collections.Counter()
        self.types = {}

    def add(self, operator, low, high, edits, kind="expression"):
        """A mutant of tokens low to high; edits are pieces of the text: start, end, new text."""
        s = self.source
        start, end = s.tokens[low].start, s.tokens[high - 1].end
        mutated, at = "", start
        for first, last, text in sorted(edits):
            mutated += s.text[at:first] + text
            at = last
        mutated += s.text[at:end]
        original = s.text[start:end]
        if mutated == original:
            return
        line = s.line_of(start)
        # The identity of a mutant is its own text and that of its line, not its place.
        context = s.text[s.line_starts[line - 1]:end]
        words = [pathlib.PurePath(s.name).name, operator, " ".join(context.split()),
                 " ".join(mutated.split())]
        repeated = self.seen[tuple(words)]
        self.seen[tuple(words)] += 1
        identity = hashlib.sha256("\n".join([*words, str(repeated)]).encode()).hexdigest()
        self.mutants.append(Mutant(s.name, line, operator, start, end, original, mutated, kind, identity))

    def replace(self, operator, i, text):
        bounds = self.source.expression(i)
        if bounds:
            token = self.source.tokens[i]
            self.add(operator, *bounds, [(token.start, token.end, text)])

    def make(self):
        s = self.source
        for i, token in enumerate(s.tokens):
            if i in s.in_angles or s.parent[i] is None or not s.runs(i):
                continue
            self.operators(i, token)
            self.constants(i, token)
            self.names(i, token)
            if token.text in ("if", "while") and s.text_at(i + 1) == "(":
                self.conditions(i + 1, token.text)
            if token.text == "for" and s.text_at(i + 1) == "(":
                self.loops(i + 1)
            if token.text == "[":
                self.indices(i)
            if token.text == "(" and s.tokens[i - 1].kind == "name":
                self.arguments(i)
            if s.text_at(i - 1) in (";", "{", "}", ")", "else"):
                self.statements(i, token)
        return self.mutants

    def operators(self, i, token):
        s = self.source
        if token.text in OPERATORS and token.kind == "mark" and s.spaced(i) and \
                not s.is_in_operator(i):
            operator, other = OPERATORS[token.text]
            in_head = s.parent[i] is not None and s.text_at(s.parent[i] - 1) in ("for", "while")
            self.replace(operator, i, BOUNDS.get(token.text, other) if in_head else other)
        if token.text == "!" and s.text_at(i + 1) != "=":
            self.replace("negation", i, "!!")

    def constants(self, i, token):
        s = self.source
        if token.kind != "number" or s.text_at(i - 1) == "." or token.text.startswith("0x"):
            return
        if re.fullmatch(r"[0-9]+", token.text):
            self.replace("constant", i, str(int(token.text) + 1))
            if token.text == "1":
                self.replace("constant", i, "0")
        elif re.fullmatch(r"[0-9]+\.[0-9]+f?", token.text):
            change = "+ 1" if float(token.text.rstrip("f")) == 0 else "* 2"
            self.replace("constant", i, f"({token.text} {change})")

    def names(self, i, token):
        s = self.source
        if token.text in EXCHANGED_NAMES and s.text_at(i + 1) in ("(", "<") and \
                s.text_at(i + 2) != ")" and s.text_at(i - 1) not in (".", "->"):
            operator, other = EXCHANGED_NAMES[token.text]
            self.replace(operator, i, other)
        if token.text in ("div_up", "round_up") and s.text_at(i + 1) == "(":
            bounds, parts = s.expression(i), self.parts_of(i + 1)
            if bounds and len(parts) == 2:
                a, b = (s.text[s.tokens[low].start:s.tokens[high - 1].end] for low, high in parts)
                end = s.tokens[s.partner[i + 1]].end
                down = f"(({a}) / ({b}))" if token.text == "div_up" else f"(({a}) / ({b}) * ({b}))"
                self.add("rounding", *bounds, [(token.start, end, down)])

    def parts_of(self, opening):
        """The arguments between brackets, as bounds of tokens."""
        s = self.source
        parts, low, k = [], opening + 1, opening + 1
        closing = s.partner.get(opening, opening)
        while k < closing:
            if s.text_at(k) in ("(", "[", "{") and k in s.partner:
                k = s.partner[k]
            elif s.text_at(k) == "," and k not in s.in_angles:
                parts.append((low, k))
                low = k + 1
            k += 1
        if low < closing:
            parts.append((low, closing))
        return parts

    def conditions(self, opening, word):
        s = self.source
        low, high = opening + 1, s.partner.get(opening, opening)
        inside = [t.text for t in s.tokens[low:high]]
        if not inside or ";" in inside or ASSIGNMENTS & set(inside) or "{" in inside:
            return
        whole = (s.tokens[low].start, s.tokens[high - 1].end)
        if s.text_at(opening - 2) == "}" and word == "while":
            return
        if word == "while":
            return self.add("condition", low, high, [(*whole, "false")], "condition")
        self.add("condition", low, high, [(whole[0], whole[0], "!("), (whole[1], whole[1], ")")], "condition")

    def loops(self, opening):
        s = self.source
        ends = [k for k in range(opening, s.partner.get(opening, opening))
                if s.text_at(k) == ";" and s.parent[k] == opening]
        if len(ends) != 2 or ends[1] - ends[0] < 4:
            return
        low, high = ends[0] + 1, ends[1]
        inside = [s.text_at(k) for k in range(low, high) if s.parent[k] == opening]
        if inside.count("<") == 1 and not {"&&", "||"} & set(inside):
            end = s.tokens[high - 1].end
            self.add("loop_end", low, high, [(end, end, " - 1")])

    def indices(self, i):
        s = self.source
        closing = s.partner.get(i, i)
        if closing - i < 2 or s.text_at(closing + 1) in ("{", "(") or s.text_at(i - 1) in ("", "(", ","):
            return
        before = s.tokens[i - 1]
        if before.kind == "name" and s.tokens[i - 2].kind == "name":
            return  # a declaration, or a lambda
        if self.is_extent(i):
            return
        if before.kind != "name" and before.text not in (")", "]"):
            return
        if before.text in KEYWORDS or all(s.tokens[k].kind == "number" for k in range(i + 1, closing)):
            return
        inside = [t.text for t in s.tokens[i + 1:closing]]
        if {"++", "--", "{", ","} & set(inside):
            return
        self.add("index", i + 1, closing,
                 [(s.tokens[i + 1].start, s.tokens[closing - 1].end, "0")])

    def is_extent(self, i):
        """Whether this bracket holds an extent of a declared array: `char a[2][<here>], b[<here>]`."""
        s, k = self.source, i - 1
        while k > 0 and (s.text_at(k) in ("]", ",") or s.tokens[k].kind in ("name", "number")):
            if s.text_at(k) == "]":
                k = s.partner.get(k, 0)
            elif s.tokens[k].kind == "name" and s.tokens[k - 1].kind == "name":
                return s.text_at(k - 1) not in KEYWORDS
            k -= 1
        return False

    def arguments(self, opening):
        s = self.source
        if s.name.endswith(".hpp") or s.text_at(opening - 1) in KEYWORDS:
            return
        if s.tokens[opening - 2].kind == "name" and s.text_at(opening - 2) != "return":
            return  # a declaration
        texts = []
        for low, high in self.parts_of(opening):
            texts.append((s.tokens[low].start, s.tokens[high - 1].end,
                          s.text[s.tokens[low].start:s.tokens[high - 1].end]))
        bounds = s.expression(opening - 1)
        if not bounds:
            return
        for a, b in zip(texts, texts[1:]):
            if self.type_of(a[2]) and self.type_of(a[2]) == self.type_of(b[2]):
                self.add("arguments", *bounds, [(a[0], a[1], b[2]), (b[0], b[1], a[2])])

    def type_of(self, argument):
        """The type that this file declares a variable or member with; None where it does not."""
        name = re.fullmatch(r"(?:[A-Za-z_]\w*\.)*([a-z_]\w*)", argument)
        if not name:
            return None
        if name[1] not in self.types:
            declared = re.search(
                rf"([\w:]+(?:<[\w: ]+>)?) [*&]*(?:\w+(?: = [\w.]+)?, [*&]*)*{name[1]}\b(?![(.])",
                self.source.text)
            self.types[name[1]] = declared[1] if declared and declared[1] not in KEYWORDS else None
        return self.types[name[1]]

    def statements(self, i, token):
        s = self.source
        brace = s.parent[i]
        if s.text_at(brace) != "{" or not s.code.get(brace, False):
            return
        if s.text_at(i - 1) == ")" and s.text_at(s.partner.get(i - 1, 0) - 1) not in ("if", "for", "while"):
            return
        if s.text_at(i - 1) == "}" and s.is_initializer(i - 1):
            return
        end = i
        while end < len(s.tokens) and s.text_at(end) != ";":
            if s.text_at(end) in ("(", "[", "{") and end in s.partner:
                end = s.partner[end]
            elif s.text_at(end) == "}":
                return
            end += 1
        whole = s.text[token.start:s.tokens[end].end]
        if len(whole) > LONGEST or "//" in whole or "#" in whole:
            return
        if any(s.code.get(k, False) for k in range(i, end)):
            return
        if token.text in UNSEEN:
            return
        if token.text == "continue":
            return self.add("statement", i, end + 1, [(token.start, s.tokens[end].end, ";")], "statement")
        if token.kind != "name" or token.text in KEYWORDS or s.text_at(end - 1) == "return":
            return
        k = i
        while k < end and s.text_at(k) not in ("(", "[", "{") and s.text_at(k) not in ASSIGNMENTS:
            declares = s.tokens[k].kind == "name" and k > i and \
                (s.tokens[k - 1].kind == "name" or s.text_at(k - 1) in ("*", "&", ">"))
            if declares or s.text_at(k) == ":":
                return
            k += 1
        if s.text_at(k) not in ASSIGNMENTS | {"(", "["}:
            return
        for sign in (t for t in range(k, end) if s.parent[t] == brace):
            other = {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}.get(s.text_at(sign))
            if other:
                self.add("assignment", i, end + 1,
                         [(s.tokens[sign].start, s.tokens[sign].end, other)], "statement")
        self.add("statement", i, end + 1, [(token.start, s.tokens[end].end, ";")], "statement")


def mutants_of(name, text):
    return Maker(Source(name, text)).make()


def main():
    for path in sys.argv[1:]:
        for m in mutants_of(path, pathlib.Path(path).read_text()):
            print(f"{m.file}:{m.line}: {m.operator}: {' '.join(m.original.split())}"
                  f"  ->  {' '.join(m.mutated.split())}")


if __name__ == "__main__":
    main()
