// SPDX-License-Identifier: Apache-2.0
// A grammar whose rules are functions: each writes its part and counts the bits of its choices.
#include "text_grammar.hpp"

#include "../../random_source.hpp"
#include "text_words.hpp"

#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

namespace int8_accuracy {
namespace {

/// Random choices, and how much information they hold.
class chooser {
  public:
    explicit chooser(std::uint64_t seed) : random_(seed) {}

    int below(int count) {
        bits_ += std::log2(count);
        return random_.below(count);
    }

    int between(int low, int high) { return low + below(high - low + 1); }

    bool chance(double probability) {
        const bool yes = random_.unit() < probability;
        bits_ -= std::log2(yes ? probability : 1 - probability);
        return yes;
    }

    template <std::size_t count> std::string_view of(const std::string_view (&list)[count]) {
        return list[below(int(count))];
    }

    char letter(std::string_view letters) { return letters[below(int(letters.size()))]; }

    double bits() const { return bits_; }

  private:
    examples::random_source random_;
    double bits_ = 0;
};

struct person {
    std::string name; // ends in a for her and in o for him
    bool female = false;
};

class text_writer {
  public:
    explicit text_writer(std::uint64_t seed) : choose_(seed) {}

    /// A paragraph about two people, on one line.
    void paragraph() {
        for (person &one : people_) one = invented_person();
        known_ = nullptr;
        const int sentences = choose_.between(3, 7);
        for (int i = 0; i < sentences; ++i) sentence();
        text_ += '\n';
        glued_ = true;
    }

    grammar_text result(int characters) && {
        const double share = characters / double(text_.size());
        text_.resize(characters);
        return {std::move(text_), choose_.bits() * share};
    }

    int size() const { return int(text_.size()); }

  private:
    // Words and punctuation.

    void word(std::string_view letters) {
        if (!glued_) text_ += ' ';
        glued_ = false;
        text_ += letters;
        if (first_) {
            char &initial = text_[text_.size() - letters.size()];
            initial = char(std::toupper(static_cast<unsigned char>(initial)));
        }
        first_ = false;
    }
    void number(int value) { word(std::to_string(value)); }
    void attach(std::string_view mark) { text_ += mark; }
    void open(char bracket) {
        if (!glued_) text_ += ' ';
        text_ += bracket;
        glued_ = true;
    }

    // People.

    person invented_person() {
        std::string name(1, choose_.letter("BDFGKLMNRSTV"));
        const int syllables = choose_.between(1, 2);
        for (int i = 0; i < syllables; ++i) {
            name += choose_.letter("aeiou");
            name += choose_.letter("dklmnrstv");
        }
        const bool female = choose_.chance(.5);
        return {name + (female ? 'a' : 'o'), female};
    }

    std::string invented_place() {
        std::string name(1, choose_.letter("BDFGKLMNRSTV"));
        const int syllables = choose_.between(2, 3);
        for (int i = 0; i < syllables; ++i) {
            name += choose_.letter("aeiouy");
            name += choose_.letter("bcdfghjklmnprstvwxz");
        }
        return name;
    }

    /// A pronoun is possible once the person has been named.
    void subject_person() {
        if (known_ != nullptr && choose_.chance(.4)) return word(known_->female ? "she" : "he");
        known_ = &people_[choose_.below(2)];
        word(known_->name);
    }

    // Parts of sentences.

    void determiner(bool plural, std::string_view next) {
        static constexpr std::string_view of_one[] {"the", "this", "every", "a", "one"};
        static constexpr std::string_view of_many[] {"the", "these", "some", "many", ""};
        const int chosen = choose_.below(5);
        const std::string_view article = plural ? of_many[chosen] : of_one[chosen];
        if (article.empty())
            number(choose_.between(2, 99));
        else if (article == "a" && std::string_view("aeiou").find(next[0]) != std::string::npos)
            word("an");
        else
            word(article);
    }

    /// Whether it is plural. `depth` brackets are open around it.
    bool noun_phrase(int depth) {
        if (choose_.chance(.4)) return word(invented_place()), false;
        const bool plural = choose_.chance(.45);
        const std::string_view noun = choose_.of(words::nouns);
        const bool described = choose_.chance(.45);
        const std::string_view adjective = described ? choose_.of(words::adjectives) : noun;
        determiner(plural, adjective);
        if (described) word(adjective);
        word(noun);
        if (plural) attach("s");
        if (depth < 2 && choose_.chance(.15)) bracketed(plural, depth);
        if (choose_.chance(.2)) {
            word(choose_.of(words::prepositions));
            noun_phrase(2);
        }
        return plural;
    }

    /// The verb of what is in brackets belongs to the noun before them.
    void bracketed(bool plural, int depth) {
        open(depth == 0 ? '(' : '[');
        word("which");
        verb_phrase(plural, depth + 1);
        attach(depth == 0 ? ")" : "]");
    }

    void verb_phrase(bool plural, int depth) {
        const bool has_object = choose_.chance(.6);
        word(has_object ? choose_.of(words::transitive_verbs)
                        : choose_.of(words::intransitive_verbs));
        if (!plural) attach("s");
        if (has_object) noun_phrase(depth);
        if (choose_.chance(.25)) word(choose_.of(words::adverbs));
    }

    void statement() {
        bool plural = false;
        if (choose_.chance(.5))
            subject_person();
        else
            plural = noun_phrase(0);
        verb_phrase(plural, 0);
    }

    // Sentences.

    void joined_statement() {
        statement();
        if (choose_.chance(.3)) {
            attach(",");
            word(choose_.of(words::joins));
            statement();
        }
        attach(choose_.chance(.1) ? "!" : ".");
    }

    void dated_statement() {
        word("on");
        word("day");
        number(choose_.between(1, 365));
        word("of");
        number(choose_.between(1600, 1999));
        word("in");
        word(invented_place());
        attach(",");
        statement();
        attach(".");
    }

    void quotation() {
        open('"');
        statement();
        attach(choose_.chance(.3) ? "!\"" : ",\"");
        word("says");
        word(people_[choose_.below(2)].name);
        attach(".");
    }

    void question() {
        const bool plural = choose_.chance(.5);
        const std::string_view noun = choose_.of(words::nouns);
        const std::string_view verb = choose_.of(words::intransitive_verbs);
        word(plural ? "do" : "does");
        word("the");
        word(noun);
        if (plural) attach("s");
        word(verb);
        attach("?");
        const bool yes = choose_.chance(.5);
        word(yes ? "Yes" : "No");
        attach(",");
        word(plural ? "they" : "it");
        word(plural ? "do" : "does");
        if (!yes) attach("n't");
        attach(".");
    }

    void purchase() {
        const int before = choose_.between(2, 99), more = choose_.between(2, 99);
        const std::string_view noun = choose_.of(words::nouns);
        subject_person();
        word("has");
        number(before);
        word(noun);
        attach("s");
        word("and");
        word("buys");
        number(more);
        word("more");
        attach(";");
        word("now");
        word(known_->female ? "she" : "he");
        word("has");
        number(before + more);
        attach(".");
    }

    void calculation() {
        const int a = choose_.between(1, 30), b = choose_.between(1, 30), c = choose_.between(1, 9);
        word("sum");
        attach(":");
        open('[');
        open('(');
        number(a);
        word("+");
        number(b);
        attach(")");
        word("-");
        number(c);
        attach("]");
        word("=");
        number(a + b - c);
        attach(".");
    }

    void sentence() {
        first_ = true;
        switch (choose_.below(12)) {
        case 0: return dated_statement();
        case 1:
        case 2: return quotation();
        case 3: return question();
        case 4: return purchase();
        case 5: return calculation();
        default: return joined_statement();
        }
    }

    chooser choose_;
    std::string text_;
    person people_[2];
    const person *known_ = nullptr; // the one that a pronoun would mean
    bool glued_ = true;             // no space before the next word
    bool first_ = true;             // the next word begins a sentence
};

} // namespace

grammar_text draw_text(int characters, std::uint64_t seed) {
    text_writer writer(seed);
    while (writer.size() < characters) writer.paragraph();
    return std::move(writer).result(characters);
}

} // namespace int8_accuracy
