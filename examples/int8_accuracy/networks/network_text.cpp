// SPDX-License-Identifier: Apache-2.0
// Reads and writes the text of networks, and checks that the layers fit each other.
#include "network_text.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

constexpr int most_channels = 8192, most_side = 1024, most_length = 4096, most_layers = 1000;

const std::map<std::string, layer_kind> &kinds() {
    static const std::map<std::string, layer_kind> all {{"input", layer_kind::input},
        {"convolution", layer_kind::convolution}, {"dense", layer_kind::dense},
        {"lstm", layer_kind::lstm}, {"normalization", layer_kind::normalization},
        {"layer_normalization", layer_kind::layer_normalization}, {"relu", layer_kind::relu},
        {"gelu", layer_kind::gelu}, {"maximum", layer_kind::maximum},
        {"average", layer_kind::average}, {"add", layer_kind::add},
        {"attention", layer_kind::attention}};
    return all;
}

std::string kind_name(layer_kind kind) {
    for (const auto &[name, each] : kinds())
        if (each == kind) return name;
    return {};
}

/// The words of one line, taken from the front, and options, taken from anywhere behind.
class words {
  public:
    words(const std::string &line, std::function<void(const std::string &)> refuse)
        : refuse_(std::move(refuse)) {
        std::istringstream stream(line.substr(0, line.find('#')));
        left_.assign(std::istream_iterator<std::string>(stream), {});
    }

    bool empty() const { return left_.empty(); }

    std::string next(const std::string &what) {
        if (left_.empty()) refuse_(fmt::format("{} is missing", what));
        std::string word = left_.front();
        left_.erase(left_.begin());
        return word;
    }

    int number(const std::string &what, int least, int most) {
        const std::string word = next(what);
        int value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size())
            refuse_(fmt::format("{} is a number, not '{}'", what, word));
        if (value < least || value > most)
            refuse_(fmt::format("{} is {}, it lies between {} and {}", what, value, least, most));
        return value;
    }

    /// Whether the word stands somewhere; it is taken out.
    bool flag(const std::string &name) {
        const auto found = std::find(left_.begin(), left_.end(), name);
        if (found == left_.end()) return false;
        left_.erase(found);
        return true;
    }

    /// The word after `name`, empty if `name` does not stand there; both are taken out.
    std::string option(const std::string &name) {
        const auto found = std::find(left_.begin(), left_.end(), name);
        if (found == left_.end()) return {};
        if (found + 1 == left_.end()) refuse_(fmt::format("a word after '{}' is missing", name));
        std::string value = found[1];
        left_.erase(found, found + 2);
        return value;
    }

    int option(const std::string &name, int otherwise, int least, int most) {
        const auto found = std::find(left_.begin(), left_.end(), name);
        if (found == left_.end()) return otherwise;
        std::vector<std::string> before(left_.begin(), found);
        left_.erase(left_.begin(), found + 1);
        const int value = number(name, least, most);
        left_.insert(left_.begin(), before.begin(), before.end());
        return value;
    }

    void end() const {
        if (!left_.empty()) refuse_(fmt::format("'{}' is not understood", left_.front()));
    }

  private:
    std::function<void(const std::string &)> refuse_;
    std::vector<std::string> left_;
};

std::string text_of(const object_shape &shape) {
    if (shape.sequence()) return fmt::format("a sequence of {} x {}", shape.length, shape.channels);
    if (shape.height == 1 && shape.width == 1) return fmt::format("a vector of {}", shape.channels);
    return fmt::format("an image of {} x {} x {}", shape.channels, shape.height, shape.width);
}

class parser {
  public:
    explicit parser(std::string source) : source_(std::move(source)) {}

    network parse(const std::string &text) {
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) {
            ++line_;
            words left(line, [this](const std::string &why) { refuse(why); });
            if (!left.empty()) add_layer(left);
        }
        finish();
        return std::move(net_);
    }

  private:
    [[noreturn]] void refuse(const std::string &why, int line = 0) const {
        throw std::runtime_error(fmt::format("{}:{}: {}", source_, line ? line : line_, why));
    }

    int named(const std::string &name) const {
        for (int l = 0; l < int(net_.layers.size()); ++l)
            if (net_.layers[l].name == name) return l;
        refuse(fmt::format("no layer above is named '{}'", name));
    }

    const object_shape &shape_of(int l) const { return net_.layers[l].result; }

    void add_layer(words &left) {
        const std::string kind = left.next("the kind of the layer");
        const auto found = kinds().find(kind);
        if (found == kinds().end()) refuse(fmt::format("'{}' is no kind of layer", kind));
        if (net_.layers.empty() != (found->second == layer_kind::input))
            refuse("the first layer, and only that, is the input");
        if (net_.layers.size() == most_layers)
            refuse(fmt::format("a network has at most {} layers", most_layers));
        layer made;
        made.kind = found->second;
        made.line = line_;
        take_name(made, kind, left);
        if (made.kind == layer_kind::input) {
            read_input(made, left);
        } else {
            const std::string from = left.option("from");
            made.from = {from.empty() ? int(net_.layers.size()) - 1 : named(from)};
            made.source = shape_of(made.from[0]);
            read_layer(made, left);
        }
        left.end();
        net_.layers.push_back(std::move(made));
    }

    void take_name(layer &made, const std::string &kind, words &left) {
        made.name = left.option("as");
        if (made.name.empty()) made.name = fmt::format("{}{}", kind, ++count_[kind]);
        for (const layer &other : net_.layers)
            if (other.name == made.name)
                refuse(fmt::format("line {} has the name '{}', too", other.line, made.name));
    }

    void read_input(layer &made, words &left) {
        if (left.flag("tokens")) {
            const int vocabulary = left.number("the number of tokens", 2, 255);
            const int length = left.option("length", 0, 2, most_length);
            if (length == 0) refuse("'length' is missing");
            net_.positions = left.flag("positions");
            made.result = {vocabulary + (net_.positions ? length : 0), 1, 1, length};
        } else {
            const int channels = left.number("the number of channels", 1, most_channels);
            const int height = left.number("the height", 1, most_side);
            made.result = {channels, height, left.number("the width", 1, most_side), 0};
        }
        made.source = made.result;
    }

    void read_layer(layer &made, words &left) {
        made.result = made.source;
        switch (made.kind) {
        case layer_kind::convolution: return read_convolution(made, left);
        case layer_kind::dense:
            made.result = {
                left.number("the number of results", 1, most_channels), 1, 1, made.source.length};
            return;
        case layer_kind::lstm:
            require(made, made.source.sequence(), "a sequence");
            made.result.channels = left.number("the number of results", 1, most_channels);
            return;
        case layer_kind::normalization: return check_normalization(made);
        case layer_kind::maximum: return read_maximum(made, left);
        case layer_kind::average:
            require(made, made.source.sequence() || made.source.values() > made.source.channels,
                "an image or a sequence");
            made.result = {made.source.channels, 1, 1, 0};
            return;
        case layer_kind::add: return read_add(made, left);
        case layer_kind::attention: return read_attention(made, left);
        default: return; // relu, gelu, layer_normalization
        }
    }

    void require(const layer &made, bool right, const char *needed) const {
        if (right) return;
        refuse(fmt::format("{} reads {}, '{}' gives {}", kind_name(made.kind), needed,
            net_.layers[made.from[0]].name, text_of(made.source)));
    }

    void read_convolution(layer &made, words &left) {
        require(made, !made.source.sequence(), "an image");
        const int outputs = left.number("the number of results", 1, most_channels);
        made.kernel = left.option("kernel", 0, 1, 31);
        if (made.kernel == 0) refuse("'kernel' is missing");
        made.stride = left.option("stride", 1, 1, 31);
        made.padding = left.option("padding", made.kernel / 2, 0, made.kernel - 1);
        made.groups = left.option("groups", 1, 1, most_channels);
        if (made.source.channels % made.groups != 0 || outputs % made.groups != 0)
            refuse(fmt::format("{} groups do not divide {} and {} channels into equal parts",
                made.groups, made.source.channels, outputs));
        const auto side = [&](int size) {
            const int room = size + 2 * made.padding - made.kernel;
            return room < 0 ? 0 : room / made.stride + 1;
        };
        made.result = {outputs, side(made.source.height), side(made.source.width), 0};
        if (made.result.values() == 0)
            refuse(fmt::format(
                "a kernel of {} does not fit into {}", made.kernel, text_of(made.source)));
    }

    void read_maximum(layer &made, words &left) {
        require(made, !made.source.sequence(), "an image");
        made.kernel = left.number("the window", 1, 31);
        made.stride = left.option("stride", made.kernel, 1, 31);
        made.result.height = (made.source.height - made.kernel) / made.stride + 1;
        made.result.width = (made.source.width - made.kernel) / made.stride + 1;
        if (made.source.height < made.kernel || made.source.width < made.kernel)
            refuse(fmt::format(
                "a window of {} does not fit into {}", made.kernel, text_of(made.source)));
    }

    /// Folding needs a product whose results nothing else reads, so far; finish() looks again.
    void check_normalization(const layer &made) const {
        const layer_kind before = net_.layers[made.from[0]].kind;
        if (before != layer_kind::convolution && before != layer_kind::dense)
            refuse(fmt::format("normalization reads a convolution or a dense layer, '{}' is none",
                net_.layers[made.from[0]].name));
    }

    void read_add(layer &made, words &left) {
        made.from.push_back(named(left.next("the name of the other layer")));
        if (shape_of(made.from[1]) != made.source)
            refuse(fmt::format("'{}' gives {}, '{}' gives {}: they cannot be added",
                net_.layers[made.from[0]].name, text_of(made.source),
                net_.layers[made.from[1]].name, text_of(shape_of(made.from[1]))));
    }

    void read_attention(layer &made, words &left) {
        made.heads = left.option("heads", 1, 1, 256);
        made.from.clear();
        for (const char *part : {"queries", "keys", "values"})
            made.from.push_back(named(left.next(fmt::format("the name of the {}", part))));
        made.source = made.result = shape_of(made.from[0]);
        require(made, made.source.sequence(), "sequences");
        for (int l : made.from)
            if (shape_of(l) != made.source)
                refuse(fmt::format("attention reads three equal shapes, '{}' gives {}",
                    net_.layers[l].name, text_of(shape_of(l))));
        if (made.source.channels % made.heads != 0)
            refuse(fmt::format("{} heads do not divide {} channels into equal parts", made.heads,
                made.source.channels));
    }

    void finish() const {
        if (net_.layers.size() < 2) refuse("the network has no layers", std::max(line_, 1));
        for (int l = 0; l < int(net_.layers.size()); ++l) {
            const layer &each = net_.layers[l];
            const bool last = l + 1 == int(net_.layers.size());
            if (!last && net_.readers(l) == 0)
                refuse(fmt::format("no layer reads '{}'", each.name), each.line);
            if (each.kind == layer_kind::normalization && net_.readers(each.from[0]) > 1)
                refuse(fmt::format("'{}' is read by another layer than its normalization",
                           net_.layers[each.from[0]].name),
                    each.line);
            if (last && (each.kind != layer_kind::dense || each.result.channels < 2))
                refuse("the last layer is a dense one with a number for each class", each.line);
        }
    }

    std::string source_;
    int line_ = 0;
    network net_;
    std::map<std::string, int> count_;
};

} // namespace

network parse_network(const std::string &text, const std::string &source) {
    return parser(source).parse(text);
}

network read_network(const std::filesystem::path &path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw std::runtime_error(fmt::format("{}: cannot read", path.string()));
    network net = parse_network(text.str(), path.string());
    net.name = path.stem().string();
    return net;
}

namespace {

std::string input_line(const network &net) {
    const object_shape &shape = net.input();
    if (!shape.sequence())
        return fmt::format("input {} {} {}", shape.channels, shape.height, shape.width);
    return fmt::format("input tokens {} length {}{}",
        shape.channels - (net.positions ? shape.length : 0), shape.length,
        net.positions ? " positions" : "");
}

std::string numbers_of(const network &net, const layer &of) {
    switch (of.kind) {
    case layer_kind::convolution:
        return fmt::format(" {} kernel {} stride {} padding {} groups {}", of.result.channels,
            of.kernel, of.stride, of.padding, of.groups);
    case layer_kind::dense:
    case layer_kind::lstm: return fmt::format(" {}", of.result.channels);
    case layer_kind::maximum: return fmt::format(" {} stride {}", of.kernel, of.stride);
    case layer_kind::add: return " " + net.layers[of.from[1]].name;
    case layer_kind::attention:
        return fmt::format(" {} {} {} heads {}", net.layers[of.from[0]].name,
            net.layers[of.from[1]].name, net.layers[of.from[2]].name, of.heads);
    default: return {};
    }
}

} // namespace

std::string text_of(const network &net) {
    std::string text;
    for (int l = 0; l < int(net.layers.size()); ++l) {
        const layer &each = net.layers[l];
        if (l == 0) {
            text += input_line(net);
        } else {
            text += kind_name(each.kind) + numbers_of(net, each);
            if (each.kind != layer_kind::attention && each.from[0] != l - 1)
                text += " from " + net.layers[each.from[0]].name;
        }
        text += fmt::format(" as {}\n", each.name);
    }
    return text;
}

} // namespace int8_accuracy
