// SPDX-License-Identifier: Apache-2.0
// The words of the drawn texts. Plurals of nouns and verbs of one person end in s.
#pragma once

#include <string_view>

namespace int8_accuracy::words {

inline constexpr std::string_view nouns[] {"apple", "arrow", "baker", "barn", "bell", "bird",
    "boat", "book", "bottle", "bridge", "brother", "bucket", "button", "candle", "captain", "cart",
    "castle", "chair", "clock", "cloud", "coat", "cook", "corner", "cow", "crow", "cup", "doctor",
    "dog", "donkey", "door", "dragon", "dream", "drum", "duck", "eagle", "farmer", "feather",
    "field", "fire", "flower", "forest", "friend", "frog", "garden", "gate", "ghost", "giant",
    "goat", "guest", "hammer", "hat", "hill", "horse", "hunter", "island", "judge", "kettle",
    "king", "kitchen", "lake", "lamp", "letter", "lion", "map", "market", "meadow", "mill",
    "minute", "mirror", "monkey", "moon", "mountain", "neighbour", "night", "owl", "painter",
    "pear", "pilot", "pond", "carrot", "queen", "rabbit", "river", "road", "robot", "rope",
    "sailor", "shadow", "ship", "shoe", "sister", "spider", "spoon", "star", "stone", "storm",
    "table", "teacher", "tiger", "tower", "train", "tree", "uncle", "valley", "village", "wagon",
    "wall", "whale", "window", "winter", "wizard", "word"};

inline constexpr std::string_view adjectives[] {"angry", "blue", "brave", "bright", "broken",
    "calm", "clever", "cold", "dark", "deep", "dusty", "empty", "famous", "fast", "foolish",
    "gentle", "golden", "green", "happy", "heavy", "hungry", "kind", "large", "lazy", "lonely",
    "loud", "lucky", "narrow", "new", "old", "pale", "poor", "proud", "quiet", "red", "rich",
    "round", "sad", "sharp", "short", "shy", "silent", "silver", "sleepy", "slow", "small", "soft",
    "strange", "strong", "sweet", "tall", "thin", "tired", "warm", "wet", "white", "wild", "wise",
    "wooden", "young"};

/// With an object; the past form is regular: a d or ed is added.
inline constexpr std::string_view transitive_verbs[] {"admire", "answer", "avoid", "borrow", "call",
    "clean", "colour", "count", "cover", "discover", "enjoy", "fear", "follow", "greet", "guard",
    "help", "ignore", "invite", "join", "kick", "like", "love", "move", "need", "notice", "open",
    "paint", "praise", "pull", "remember", "repair", "return", "save", "taste", "trust", "use",
    "visit", "want"};

inline constexpr std::string_view intransitive_verbs[] {"arrive", "bark", "climb", "cough", "dance",
    "dream", "fall", "float", "grow", "hide", "jump", "laugh", "listen", "move", "rest", "run",
    "shine", "sing", "sleep", "smile", "swim", "travel", "turn", "wait", "walk", "whistle",
    "wonder", "work", "yawn"};

inline constexpr std::string_view adverbs[] {"again", "always", "badly", "early", "gladly",
    "in vain", "late", "loudly", "never", "often", "once more", "quickly", "quietly", "rarely",
    "slowly", "sometimes", "soon", "today", "together", "well"};

inline constexpr std::string_view prepositions[] {"above", "behind", "below", "beside", "from",
    "in", "inside", "near", "on", "over", "under", "with"};

inline constexpr std::string_view joins[] {
    "and", "because", "but", "while", "until", "so", "although", "when"};

} // namespace int8_accuracy::words
