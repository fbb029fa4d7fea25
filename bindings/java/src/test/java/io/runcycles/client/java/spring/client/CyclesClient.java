package io.runcycles.client.java.spring.client;

import io.runcycles.client.java.spring.model.CyclesResponse;
import java.util.Map;

/** A stand-in with the signature of the starter's interface, which the tests' registry does not have. */
public interface CyclesClient {
    CyclesResponse<Map<String, Object>> extendReservation(String reservationId, Object body);
}
