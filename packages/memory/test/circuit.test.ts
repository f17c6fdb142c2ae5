import { describe, expect, it } from "vitest";
import { createMemoryValidationError } from "../src/adapter/index.ts";
import {
  createFailure,
  createMemoryConnectionError,
  createMemoryStorageError,
  createSuccess,
} from "../src/index.ts";
import { createCircuit } from "../src/resilience/circuit.ts";

const outage = createFailure(createMemoryConnectionError("memory"));
const done = createSuccess(null);

describe("the circuit of withFallback", () => {
  it("opens for an outage, and closes with a success", () => {
    const circuit = createCircuit(60_000);
    expect(circuit.begin()(outage)).toBe(outage.error);
    expect(circuit.blockedBy()).toBe(outage.error);
    expect(circuit.begin()(done)).toBeUndefined();
    expect(circuit.blockedBy()).toBeUndefined();
  });

  it.each([
    ["invalid input", createMemoryValidationError([])],
    ["a closed provider", createMemoryConnectionError("memory", "closed", { retryable: false })],
    ["a failure of the store", createMemoryStorageError("getStats", "no", { retryable: true })],
  ])("stays as it is with %s", (_, error) => {
    const circuit = createCircuit(60_000);
    expect(circuit.begin()(createFailure(error))).toBeUndefined();
    expect(circuit.blockedBy()).toBeUndefined();
    circuit.begin()(outage);
    circuit.begin()(createFailure(error));
    expect(circuit.blockedBy()).toBe(outage.error);
  });

  it("isn't opened again by the late failure of a call that began before the recovery", () => {
    const circuit = createCircuit(60_000);
    const early = circuit.begin();
    circuit.begin()(outage);
    const later = circuit.begin();
    circuit.begin()(done);
    expect([early(outage), later(outage)]).toEqual([outage.error, outage.error]);
    expect(circuit.blockedBy()).toBeUndefined();
    circuit.begin()(outage);
    expect(circuit.blockedBy()).toBe(outage.error);
  });
});
