/* One HTTP exchange at a time over libcurl, without blocking: for a loop that also has timers. */
#ifndef HTTP_H
#define HTTP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct http;

enum http_outcome { HTTP_ANSWERED, HTTP_TIMED_OUT, HTTP_DISCONNECTED };

/* What became of an exchange. Its texts stay until the next one is sent. */
struct http_answer {
    enum http_outcome outcome;
    uint16_t status;
    const char *retry_after; /* NULL where there is none */
    size_t retry_after_length;
    const char *body;
    size_t body_length;
};

/* NULL where libcurl cannot start. */
struct http *http_open(const char *url, const char *api_key);
void http_close(struct http *http);

/* Sends a POST, and gives up whatever was in flight. `timeout_ms` of 0 is none. 0 where it cannot be sent. */
int http_post(struct http *http, const char *path, const char *body, uint64_t timeout_ms);

/* Sleeps until there is something to read, but no longer than so; then reads it. */
void http_poll(struct http *http, uint64_t wait_ms);

/* Whether the exchange has ended; then what became of it, once. */
int http_done(struct http *http, struct http_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
