/* What Java calls: the C ABI as it is, once by JNI and once by java.lang.foreign, from one native file.
 *
 * Every argument is a 64-bit integer, addresses too, so that both bridges hand over the same registers. The three calls
 * that a heartbeat makes all the time have an entry of their own; all others go through leasebeat_java_call by number,
 * which Function.java names.
 */
#include <jni.h>

#include <stddef.h>
#include <stdint.h>

#include "leasebeat.h"

#define POINTER(value) ((void *)(intptr_t)(value))

/* What a name is asked of: Function.java's NAME_OF_... */
enum { STATUS_NAME, STATUS_TEXT, STOP_NAME, RULE_NAME, ERROR_CODE_NAME, OPERATION_NAME, KEY_NAME };

static const char *name_of(int64_t kind, int64_t code)
{
    switch (kind) {
    case STATUS_NAME:
        return leasebeat_status_name((leasebeat_status_t)code);
    case STATUS_TEXT:
        return leasebeat_status_text((leasebeat_status_t)code);
    case STOP_NAME:
        return leasebeat_stop_name((leasebeat_stop_t)code);
    case RULE_NAME:
        return leasebeat_rule_name((leasebeat_rule_t)code);
    case ERROR_CODE_NAME:
        return leasebeat_error_code_name((leasebeat_error_code_t)code);
    case OPERATION_NAME:
        return leasebeat_operation_name((leasebeat_operation_t)code);
    case KEY_NAME:
        return leasebeat_key_name((leasebeat_key_t)code);
    default:
        return "unknown";
    }
}

/* The name's length; as much of it as fits is copied. */
static int32_t copy_name(int64_t kind, int64_t code, char *buffer, int64_t capacity)
{
    const char *name = name_of(kind, code);
    int32_t length = 0;
    for (; name[length] != 0; length++)
        if (length < capacity)
            buffer[length] = name[length];
    return length;
}

int32_t leasebeat_java_call(int32_t function, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)
{
    switch (function) {
    case 0:
        return (int32_t)leasebeat_abi_version();
    case 1:
        return (int32_t)leasebeat_sizeof();
    case 2:
        return copy_name(a, b, POINTER(c), d);
    case 3:
        return leasebeat_config_check(POINTER(a), POINTER(b), (size_t)c, POINTER(d));
    case 4:
        return leasebeat_plan_config(POINTER(a), (uint64_t)b, (uint64_t)c, POINTER(d));
    case 5:
        return leasebeat_init(POINTER(a), (size_t)b, POINTER(c));
    case 6:
        return leasebeat_next_deadline(POINTER(a), POINTER(b));
    case 7:
        return leasebeat_lead(POINTER(a), (uint64_t)b, POINTER(c));
    case 8:
        return leasebeat_fence(POINTER(a), POINTER(b));
    case 9:
        return leasebeat_danger(POINTER(a), POINTER(b));
    case 10:
        return leasebeat_held_for(POINTER(a), (uint64_t)b, (uint64_t)c, POINTER(d));
    case 11:
        return leasebeat_in_flight(POINTER(a), POINTER(b));
    case 12:
        return leasebeat_stopped(POINTER(a), POINTER(b));
    case 13:
        return leasebeat_stats(POINTER(a), POINTER(b));
    case 14:
        return leasebeat_plan(POINTER(a), POINTER(b));
    case 15:
        return leasebeat_describe(POINTER(a), POINTER(b), (size_t)c, POINTER(d));
    case 16:
        return leasebeat_explain(POINTER(a), POINTER(b), POINTER(c), (size_t)d, POINTER(e));
    case 17:
        return leasebeat_numbers(POINTER(a), POINTER(b), POINTER(c));
    case 18:
        return leasebeat_classify((leasebeat_operation_t)a, POINTER(b), POINTER(c));
    case 19:
        return leasebeat_parse_retry_after(POINTER(a), (size_t)b, POINTER(c));
    case 20:
        return leasebeat_decode(POINTER(a), POINTER(b));
    case 21:
        return leasebeat_decode_reservation_id(POINTER(a), POINTER(b), (size_t)c, POINTER(d));
    case 22:
        return leasebeat_decode_problem(POINTER(a), POINTER(b), (size_t)c, POINTER(d));
    case 23:
        return leasebeat_snapshot(POINTER(a), POINTER(b), (size_t)c);
    case 24:
        return leasebeat_restore(POINTER(a), (size_t)b, POINTER(c), (size_t)d, (uint64_t)e, POINTER(f));
    default:
        return INT32_MIN;
    }
}

/* What a call costs that does nothing: the arguments of leasebeat_handle, and its result. */
int32_t leasebeat_java_noop(int64_t heartbeat, int64_t event, int64_t now_ns, int64_t decision)
{
    (void)heartbeat;
    (void)event;
    (void)now_ns;
    (void)decision;
    return 0;
}

JNIEXPORT jint JNICALL Java_dev_leasebeat_JniBridge_handle0(JNIEnv *env, jclass bridge, jlong heartbeat, jlong event,
                                                            jlong now_ns, jlong decision)
{
    (void)env;
    (void)bridge;
    return leasebeat_handle(POINTER(heartbeat), POINTER(event), (uint64_t)now_ns, POINTER(decision));
}

JNIEXPORT jint JNICALL Java_dev_leasebeat_JniBridge_tick0(JNIEnv *env, jclass bridge, jlong heartbeat, jlong now_ns,
                                                          jlong decision)
{
    (void)env;
    (void)bridge;
    return leasebeat_tick(POINTER(heartbeat), (uint64_t)now_ns, POINTER(decision));
}

JNIEXPORT jint JNICALL Java_dev_leasebeat_JniBridge_noop0(JNIEnv *env, jclass bridge, jlong heartbeat, jlong event,
                                                          jlong now_ns, jlong decision)
{
    (void)env;
    (void)bridge;
    return leasebeat_java_noop(heartbeat, event, now_ns, decision);
}

JNIEXPORT jint JNICALL Java_dev_leasebeat_JniBridge_call0(JNIEnv *env, jclass bridge, jint function, jlong a, jlong b,
                                                          jlong c, jlong d, jlong e, jlong f)
{
    (void)env;
    (void)bridge;
    return leasebeat_java_call(function, a, b, c, d, e, f);
}

/* The address of a direct buffer, which Java itself does not tell. */
JNIEXPORT jlong JNICALL Java_dev_leasebeat_JniBridge_address0(JNIEnv *env, jclass bridge, jobject buffer)
{
    (void)bridge;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}
