import type { MemoryErrorUnion, VersionedMemoryProvider, WriteOptions, WriteReceipt } from "@jaf/memory";
import { createFailure } from "@jaf/memory/engine";
import { receiptOf } from "@jaf/memory/turns";

/**
 * Stands before a run's first write. By then the engine has judged the request, and has stored nothing: a request that it
 * refuses leaves no turn behind, and one that comes while another turn runs changes nothing.
 */
export interface TurnGate {
  /** Awaited before each write of the run. An error is the write's answer. */
  readonly pass: (options: WriteOptions | undefined) => Promise<MemoryErrorUnion | undefined>;
  readonly wrote: (receipt: WriteReceipt) => void;
}

/** A provider whose writes go through gates. */
export interface GatedProvider {
  readonly provider: VersionedMemoryProvider;
  /** A gate for the writes that are made under a trace. */
  readonly add: (traceId: string, gate: TurnGate) => void;
  /** Does nothing if another gate has taken its place. */
  readonly remove: (traceId: string, gate: TurnGate) => void;
}

/** One for all turns of a service: the engine keeps what it knows of conversations by their provider. */
export function gateProvider(provider: VersionedMemoryProvider): GatedProvider {
  const gates = new Map<string, TurnGate>();

  const appendMessages: VersionedMemoryProvider["appendMessages"] = async (...args) => {
    const [, , metadata, options] = args;
    const traceId: unknown = metadata?.traceId;
    const gate = typeof traceId === "string" ? gates.get(traceId) : undefined;
    if (gate === undefined) return provider.appendMessages(...args);
    const refused = await gate.pass(options);
    if (refused !== undefined) return createFailure(refused);
    const written = await provider.appendMessages(...args);
    const receipt = receiptOf(written);
    if (receipt !== undefined) gate.wrote(receipt);
    return written;
  };

  return {
    // Not a copy: a provider may be an instance of a class, and have more methods than the contract.
    provider: new Proxy(provider, {
      get: (target, key) => {
        if (key === "appendMessages") return appendMessages;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    add: (traceId, gate) => void gates.set(traceId, gate),
    remove: (traceId, gate) => {
      if (gates.get(traceId) === gate) gates.delete(traceId);
    },
  };
}
