/* A fault on purpose: proof that the sanitizers are on, for a program that ends well under them proves nothing. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    volatile int one = count;
    if (count > 1 && strcmp(arguments[1], "address") == 0) {
        char *volatile memory = (char *)malloc(4);
        char *volatile stale = memory;
        free(memory);
        one = *stale;
    } else if (count > 1 && strcmp(arguments[1], "undefined") == 0) {
        volatile int most = INT_MAX;
        most = most + one;
    }
    puts("nobody noticed");
    return 0;
}
