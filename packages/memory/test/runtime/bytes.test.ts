import { isUint8Array as isUint8ArrayOfNode } from "node:util/types";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { isUint8Array } from "../../src/runtime/bytes.ts";

describe("isUint8Array", () => {
  it("agrees with Node, even for other realms and for impostors", () => {
    const liar = { [Symbol.toStringTag]: "Uint8Array", __proto__: Uint8Array.prototype };
    const values: readonly unknown[] = [
      new Uint8Array(1),
      Buffer.from("a"),
      runInNewContext("new Uint8Array(2)"),
      ...[new Int8Array(1), new Uint8ClampedArray(1), new DataView(new ArrayBuffer(1)), new ArrayBuffer(1)],
      ...[liar, [], {}, "Uint8Array", 1, null, undefined, Uint8Array, Uint8Array.prototype],
    ];
    expect(values.map(isUint8Array)).toEqual(values.map((value) => isUint8ArrayOfNode(value)));
  });
});
