// SPDX-License-Identifier: Apache-2.0
// Errors, handles, engine and stream: the part of the C++ interface that needs no tensors.
// Header-only over the C functions of dnnl_common.h. Specification: Common Definitions, Engine,
// Stream.

#ifndef ONEAPI_DNNL_COMMON_HPP
#define ONEAPI_DNNL_COMMON_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "dnnl/dnnl_common.h"

#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__EXCEPTIONS) || defined(__cpp_exceptions)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define DNNL_TRAP() __builtin_trap()
#elif defined(_MSC_VER)
#define DNNL_TRAP() __debugbreak()
#else
#define DNNL_TRAP() std::abort()
#endif

#if DNNL_ENABLE_EXCEPTIONS
#define DNNL_THROW_ERROR(status, msg) throw ::dnnl::error(status, msg)
#else
#define DNNL_THROW_ERROR(status, msg)                                                              \
    do {                                                                                           \
        std::fprintf(stderr, "%s\n", static_cast<const char *>(msg));                              \
        DNNL_TRAP();                                                                               \
    } while (0)
#endif

// Weak, so that a program built with this header also loads with a library that lacks the function.
#if defined(__GNUC__) || defined(__clang__)
extern "C" __attribute__((weak)) const char *dnnl_ext_last_error(void);
#endif

// The C objects that later headers bring.
struct dnnl_memory_desc;
struct dnnl_memory;
struct dnnl_primitive_attr;
struct dnnl_post_ops;
struct dnnl_primitive_desc;
struct dnnl_primitive;

namespace dnnl {

namespace detail {

/// Why the last call that failed on this thread failed, in words; empty if the library cannot say.
inline std::string last_error() {
#if defined(__GNUC__) || defined(__clang__)
    if (dnnl_ext_last_error != nullptr) {
        const char *reason = dnnl_ext_last_error();
        if (reason != nullptr) return reason;
    }
#endif
    return std::string();
}

/// `message`, followed by ": " and the library's reason if there is one.
inline std::string with_reason(const char *message) {
    const std::string reason = last_error();
    return reason.empty() ? std::string(message) : message + (": " + reason);
}

} // namespace detail

/// What every failing call of this interface throws. With DNNL_ENABLE_EXCEPTIONS == 0 the message
/// goes to stderr and the process traps instead.
/// Copies share the text, so copying never throws and `message` stays valid as long as one copy
/// lives. Specification: Common Definitions, Exceptions.
struct error : public std::exception {
    dnnl_status_t status; ///< Status of the failing call.
    const char *message;  ///< What failed and, if known, why. Null-terminated, owned by the error.

    /// Keeps a copy of `amessage`; null counts as empty.
    error(dnnl_status_t astatus, const char *amessage)
        : status(astatus), message(nullptr),
          text_(std::make_shared<std::string>(amessage != nullptr ? amessage : "")) {
        message = text_->c_str();
    }

    /// The message: "<what failed>: <reason given by the library>".
    const char *what() const noexcept override { return message; }

    /// Does nothing on dnnl_success; otherwise throws an error with this status, whose text is
    /// `amessage` and the reason that the library kept for the call that just failed.
    static void wrap_c_api(dnnl_status_t astatus, const char *amessage) {
        if (astatus != dnnl_success) {
            DNNL_THROW_ERROR(astatus, detail::with_reason(amessage).c_str());
        }
    }

  private:
    std::shared_ptr<const std::string> text_;
};

/// Throws invalid_arguments unless min_size <= v.size() <= max_size. A negative max_size is no
/// limit.
template <typename T>
void validate_container_size(
    const T &v, const char *error_message, int min_size = 1, int max_size = -1) {
    const long long size = static_cast<long long>(v.size());
    if (size < min_size || (max_size >= 0 && size > max_size)) {
        DNNL_THROW_ERROR(dnnl_invalid_arguments, error_message);
    }
}

/// Says how a C object is destroyed. Specialised for each C handle type.
template <typename T> struct handle_traits {};

/// @cond
namespace detail {

// What errors call a C object.
inline const char *name_of(const void *) { return "the object"; }
inline const char *name_of(dnnl_engine_t) { return "the engine"; }
inline const char *name_of(dnnl_stream_t) { return "the stream"; }
inline const char *name_of(const ::dnnl_memory_desc *) { return "the memory descriptor"; }
inline const char *name_of(const ::dnnl_memory *) { return "the memory"; }
inline const char *name_of(const ::dnnl_primitive_attr *) { return "the attributes"; }
inline const char *name_of(const ::dnnl_post_ops *) { return "the post-ops"; }
inline const char *name_of(const ::dnnl_primitive_desc *) { return "the primitive descriptor"; }
inline const char *name_of(const ::dnnl_primitive *) { return "the primitive"; }

} // namespace detail
/// @endcond

/// Shared ownership of a C object: copies refer to the same object, the last owner destroys it.
/// A default-constructed handle is empty.
/// Specification: Common Definitions, Handles.
template <typename T, typename traits = handle_traits<T>> struct handle {
    /// An empty handle.
    handle() = default;
    handle(const handle<T, traits> &) = default;
    handle<T, traits> &operator=(const handle<T, traits> &) = default;
    handle(handle<T, traits> &&) = default;
    handle<T, traits> &operator=(handle<T, traits> &&) = default;

    /// Takes ownership of the C object `t` (a T or nullptr); with `weak` it only refers to it and
    /// never destroys it. A template, so that the list {0, 0} is a pair of extents and never a
    /// handle.
    template <typename U,
        typename = typename std::enable_if<std::is_same<U, T>::value ||
                                           std::is_same<U, std::nullptr_t>::value>::type>
    explicit handle(U t, bool weak = false) {
        reset(t, weak);
    }

    /// Releases the present object and refers to `t` as the constructor does.
    void reset(T t, bool weak = false) {
        if (weak || t == nullptr) {
            data_ = pointer(std::shared_ptr<void>(), t);
        } else {
            data_.reset(t, traits::destructor);
        }
    }

    /// The C object. Throws invalid_arguments if the handle is empty, unless allow_empty is set.
    T get(bool allow_empty = false) const {
        T result = data_.get();
        if (!allow_empty && result == nullptr) {
            const std::string reason =
                detail::name_of(result) + std::string(" is empty (not initialized)");
            DNNL_THROW_ERROR(dnnl_invalid_arguments, reason.c_str());
        }
        return result;
    }

    /// The C object, null for an empty handle.
    explicit operator T() const { return get(true); }
    /// False for an empty handle.
    explicit operator bool() const { return get(true) != nullptr; }

    /// Whether both refer to the same C object (or both are empty).
    bool operator==(const handle<T, traits> &other) const { return other.data_ == data_; }
    bool operator!=(const handle &other) const { return !(*this == other); }

  protected:
    bool operator==(const T other) const { return other == data_.get(); }
    bool operator!=(const T other) const { return !(*this == other); }

  private:
    typedef std::shared_ptr<typename std::remove_pointer<T>::type> pointer;
    pointer data_;
};

/// @cond
template <> struct handle_traits<dnnl_engine_t> {
    static dnnl_status_t destructor(dnnl_engine_t p) { return dnnl_engine_destroy(p); }
};

template <> struct handle_traits<dnnl_stream_t> {
    static dnnl_status_t destructor(dnnl_stream_t p) { return dnnl_stream_destroy(p); }
};

namespace detail {

// True for the enumerations whose values are bits to combine.
template <typename E> struct is_flags : std::false_type {};

template <typename E> using flags_only = typename std::enable_if<is_flags<E>::value, E>::type;

// Unsigned value of a flag set.
template <typename E> constexpr unsigned bits(E e) { return static_cast<unsigned>(e); }

} // namespace detail
/// @endcond

/// Bit operations on stream::flags, normalization_flags and rnn_flags.
template <typename E> constexpr detail::flags_only<E> operator~(E a) {
    return static_cast<E>(~detail::bits(a));
}
template <typename E> constexpr detail::flags_only<E> operator&(E a, E b) {
    return static_cast<E>(detail::bits(a) & detail::bits(b));
}
template <typename E> constexpr detail::flags_only<E> operator|(E a, E b) {
    return static_cast<E>(detail::bits(a) | detail::bits(b));
}
template <typename E> constexpr detail::flags_only<E> operator^(E a, E b) {
    return static_cast<E>(detail::bits(a) ^ detail::bits(b));
}
template <typename E> detail::flags_only<E> &operator&=(E &a, E b) { return a = a & b; }
template <typename E> detail::flags_only<E> &operator|=(E &a, E b) { return a = a | b; }
template <typename E> detail::flags_only<E> &operator^=(E &a, E b) { return a = a ^ b; }

/// Defines ~ & | ^ &= |= ^= for an enumeration of the program; use it in the namespace of that one.
#define DNNL_DEFINE_BITMASK_OPS(E)                                                                 \
    inline constexpr E operator~(E a) { return static_cast<E>(~::dnnl::detail::bits(a)); }         \
    inline constexpr E operator&(E a, E b) {                                                       \
        return static_cast<E>(::dnnl::detail::bits(a) & ::dnnl::detail::bits(b));                  \
    }                                                                                              \
    inline constexpr E operator|(E a, E b) {                                                       \
        return static_cast<E>(::dnnl::detail::bits(a) | ::dnnl::detail::bits(b));                  \
    }                                                                                              \
    inline constexpr E operator^(E a, E b) {                                                       \
        return static_cast<E>(::dnnl::detail::bits(a) ^ ::dnnl::detail::bits(b));                  \
    }                                                                                              \
    inline E &operator&=(E &a, E b) { return a = a & b; }                                          \
    inline E &operator|=(E &a, E b) { return a = a | b; }                                          \
    inline E &operator^=(E &a, E b) { return a = a ^ b; }

/// Which down-conversions of f32 operands a computation may use.
/// Specification: Primitive Attributes, Floating-point Math Mode.
enum class fpmath_mode {
    strict = dnnl_fpmath_mode_strict, ///< None: f32 is computed as f32.
    bf16 = dnnl_fpmath_mode_bf16,     ///< f32 may be computed as bf16 or wider.
    f16 = dnnl_fpmath_mode_f16,       ///< f32 may be computed as f16 or wider.
    tf32 = dnnl_fpmath_mode_tf32,     ///< f32 may be computed as tf32 or wider.
    any = dnnl_fpmath_mode_any,       ///< Any of the above.
};

/// The C value of an fpmath_mode.
inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode) {
    return static_cast<dnnl_fpmath_mode_t>(mode);
}

/// The type in which partial sums are kept.
enum class accumulation_mode {
    strict = dnnl_accumulation_mode_strict,   ///< f32 (f64) for floating point, s32 for integers.
    relaxed = dnnl_accumulation_mode_relaxed, ///< Partial sums may be stored as src or dst.
    any = dnnl_accumulation_mode_any,         ///< Any type as wide as src and dst.
    s32 = dnnl_accumulation_mode_s32,         ///< s32.
    f32 = dnnl_accumulation_mode_f32,         ///< f32.
    f16 = dnnl_accumulation_mode_f16,         ///< f16.
};

/// The C value of an accumulation_mode.
inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode) {
    return static_cast<dnnl_accumulation_mode_t>(mode);
}

/// A device to compute on. This library has one: the CPU with index 0.
/// Must outlive everything that was created on it. Specification: Engine.
struct engine : public handle<dnnl_engine_t> {
    /// Kinds of devices.
    enum class kind {
        any = dnnl_any_engine, ///< Unspecified.
        cpu = dnnl_cpu,        ///< CPU.
        gpu = dnnl_gpu,        ///< GPU (none in this library).
    };

    using handle::handle;

    /// An empty engine.
    engine() = default;

    /// Number of devices of a kind: 1 for cpu, 0 for all others.
    static size_t get_count(kind akind) { return dnnl_engine_get_count(convert_to_c(akind)); }

    /// The device `index` of a kind.
    /// Throws invalid_arguments if the kind is not cpu or index >= get_count(akind).
    engine(kind akind, size_t index) {
        dnnl_engine_t created = nullptr;
        error::wrap_c_api(
            dnnl_engine_create(&created, convert_to_c(akind), index), "cannot create an engine");
        reset(created);
    }

    /// Kind of this device. Throws invalid_arguments for an empty engine.
    kind get_kind() const {
        dnnl_engine_kind_t result = dnnl_any_engine;
        error::wrap_c_api(
            dnnl_engine_get_kind(get(), &result), "cannot query the kind of an engine");
        return static_cast<kind>(result);
    }

  private:
    static dnnl_engine_kind_t convert_to_c(kind akind) {
        return static_cast<dnnl_engine_kind_t>(akind);
    }
};

/// The C value of an engine kind.
inline dnnl_engine_kind_t convert_to_c(engine::kind kind) {
    return static_cast<dnnl_engine_kind_t>(kind);
}

/// The order of execution on an engine. On the CPU every call finishes before it returns.
/// Specification: Stream.
struct stream : public handle<dnnl_stream_t> {
    using handle::handle;

    /// How a stream orders its work; values can be combined with |.
    enum class flags : unsigned {
        in_order = dnnl_stream_in_order,           ///< One after the other.
        out_of_order = dnnl_stream_out_of_order,   ///< In any order that respects dependencies.
        default_flags = dnnl_stream_default_flags, ///< in_order.
#ifdef DNNL_EXPERIMENTAL_PROFILING
        profiling = dnnl_stream_profiling, ///< Collects execution times.
#endif
    };

    /// An empty stream.
    stream() = default;

    /// A stream on `aengine`.
    /// Throws invalid_arguments for an empty engine, unimplemented for flags without support.
    explicit stream(const engine &aengine, flags aflags = flags::default_flags) {
        dnnl_stream_t created = nullptr;
        error::wrap_c_api(
            dnnl_stream_create(&created, aengine.get(), static_cast<dnnl_stream_flags_t>(aflags)),
            "cannot create a stream");
        reset(created);
    }

    /// The engine of this stream, as a handle that does not own it.
    engine get_engine() const {
        dnnl_engine_t result = nullptr;
        error::wrap_c_api(
            dnnl_stream_get_engine(get(), &result), "cannot query the engine of a stream");
        return engine(result, true);
    }

    /// Waits until all work of the stream is done and returns the stream.
    stream &wait() {
        error::wrap_c_api(dnnl_stream_wait(get()), "cannot wait for a stream");
        return *this;
    }
};

/// @cond
namespace detail {
template <> struct is_flags<stream::flags> : std::true_type {};
} // namespace detail
/// @endcond

/// The C value of stream flags.
inline dnnl_stream_flags_t convert_to_c(stream::flags flags) {
    return static_cast<dnnl_stream_flags_t>(flags);
}

} // namespace dnnl

#endif
