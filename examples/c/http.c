#include "http.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

/* No answer of the protocol comes near; more is cut, and then proves nothing. */
#define BODY_MAX 65536
#define HEADER_MAX 128

struct http {
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    char url[512];
    int in_flight;
    int running; /* still so after the last look: 0 of one in flight has ended, and nothing would wake a sleep */
    size_t body_length;
    size_t retry_after_length;
    int has_retry_after;
    char retry_after[HEADER_MAX];
    char body[BODY_MAX];
};

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
    struct http *http = (struct http *)user;
    size_t length = size * count;
    size_t room = sizeof http->body - http->body_length;
    size_t kept = length < room ? length : room;
    memcpy(http->body + http->body_length, data, kept);
    http->body_length += kept;
    return length;
}

/* Keeps the value of Retry-After as it came: what it may be is the library's to say. */
static size_t take_header(char *data, size_t size, size_t count, void *user)
{
    static const char name[] = "retry-after:";
    struct http *http = (struct http *)user;
    size_t length = size * count, skip = sizeof name - 1;
    if (length >= skip && strncasecmp(data, name, skip) == 0) {
        size_t end = length;
        while (end > skip && (data[end - 1] == '\r' || data[end - 1] == '\n'))
            end--;
        http->retry_after_length = end - skip < HEADER_MAX ? end - skip : HEADER_MAX;
        memcpy(http->retry_after, data + skip, http->retry_after_length);
        http->has_retry_after = 1;
    }
    return length;
}

struct http *http_open(const char *url, const char *api_key)
{
    char header[256];
    struct http *http = (struct http *)calloc(1, sizeof *http);
    if (http == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        return NULL;
    http->multi = curl_multi_init();
    http->easy = curl_easy_init();
    snprintf(http->url, sizeof http->url, "%s", url);
    snprintf(header, sizeof header, "X-Cycles-API-Key: %s", api_key);
    http->headers = curl_slist_append(NULL, header);
    http->headers = curl_slist_append(http->headers, "Content-Type: application/json");
    if (http->multi == NULL || http->easy == NULL)
        return NULL;
    curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(http->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(http->easy, CURLOPT_WRITEDATA, (void *)http);
    curl_easy_setopt(http->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(http->easy, CURLOPT_HEADERDATA, (void *)http);
    curl_easy_setopt(http->easy, CURLOPT_NOSIGNAL, 1L);
    return http;
}

void http_close(struct http *http)
{
    if (http == NULL)
        return;
    if (http->in_flight)
        curl_multi_remove_handle(http->multi, http->easy);
    curl_easy_cleanup(http->easy);
    curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    curl_global_cleanup();
    free(http);
}

int http_post(struct http *http, const char *path, const char *body, uint64_t timeout_ms)
{
    char url[1024];
    if (http->in_flight)
        curl_multi_remove_handle(http->multi, http->easy);
    http->body_length = 0;
    http->has_retry_after = 0;
    if (snprintf(url, sizeof url, "%s%s", http->url, path) >= (int)sizeof url)
        return 0;
    curl_easy_setopt(http->easy, CURLOPT_URL, url);
    curl_easy_setopt(http->easy, CURLOPT_COPYPOSTFIELDS, body);
    curl_easy_setopt(http->easy, CURLOPT_TIMEOUT_MS, timeout_ms < LONG_MAX ? (long)timeout_ms : LONG_MAX);
    http->in_flight = curl_multi_add_handle(http->multi, http->easy) == CURLM_OK;
    return http->in_flight && curl_multi_perform(http->multi, &http->running) == CURLM_OK;
}

void http_poll(struct http *http, uint64_t wait_ms)
{
    if (!http->in_flight || http->running > 0)
        curl_multi_poll(http->multi, NULL, 0, wait_ms < INT_MAX ? (int)wait_ms : INT_MAX, NULL);
    curl_multi_perform(http->multi, &http->running);
}

int http_done(struct http *http, struct http_answer *answer)
{
    int left;
    long status = 0;
    CURLMsg *message = curl_multi_info_read(http->multi, &left);
    if (message == NULL || message->msg != CURLMSG_DONE)
        return 0;
    CURLcode result = message->data.result;
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(http->multi, http->easy);
    http->in_flight = 0;
    answer->outcome = result == CURLE_OK ? HTTP_ANSWERED
                      : result == CURLE_OPERATION_TIMEDOUT ? HTTP_TIMED_OUT
                                                           : HTTP_DISCONNECTED;
    answer->status = (uint16_t)status;
    answer->retry_after = http->has_retry_after ? http->retry_after : NULL;
    answer->retry_after_length = http->has_retry_after ? http->retry_after_length : 0;
    answer->body = http->body;
    answer->body_length = http->body_length;
    return 1;
}
