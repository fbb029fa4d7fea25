/* What compilers call for copies, inside the shared library: so that it needs no other. The static library leaves them
   to the program's C library. */
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    while (length-- > 0)
        *target++ = *source++;
    return to;
}

HIDDEN void *memmove(void *to, const void *from, size_t length)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target <= source)
        return memcpy(to, from, length);
    while (length-- > 0)
        target[length] = source[length];
    return to;
}

HIDDEN void *memset(void *to, int value, size_t length)
{
    unsigned char *target = to;
    while (length-- > 0)
        *target++ = (unsigned char)value;
    return to;
}

HIDDEN int memcmp(const void *one, const void *other, size_t length)
{
    const unsigned char *left = one, *right = other;
    for (; length-- > 0; left++, right++)
        if (*left != *right)
            return *left < *right ? -1 : 1;
    return 0;
}

HIDDEN int bcmp(const void *one, const void *other, size_t length)
{
    return memcmp(one, other, length);
}
