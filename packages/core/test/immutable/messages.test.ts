import { describe, expect, it } from "vitest";
import { frozenInput } from "../../src/immutable/messages.ts";

describe("frozen client input", () => {
  it("isn't copied if nothing can change it", () => {
    const sent = Object.freeze([Object.freeze({ toolCallId: "a", result: Object.freeze({ n: 1 }) })]);
    expect(frozenInput(sent)).toBe(sent);
  });

  it("doesn't change if the caller changes a date later", () => {
    const at = Object.freeze(new Date(0));
    const taken = frozenInput(Object.freeze({ toolCallId: "a", result: Object.freeze({ at }) }));
    at.setTime(1);
    expect(taken.result.at).toEqual(new Date(0));
  });

  it("doesn't change if the caller changes a map or a set later", () => {
    const map = Object.freeze(new Map([["a", 1]]));
    const set = Object.freeze(new Set(["a"]));
    const taken = frozenInput(Object.freeze({ map, set }));
    map.set("b", 2);
    set.add("b");
    expect(taken).toEqual({ map: new Map([["a", 1]]), set: new Set(["a"]) });
  });

  it("keeps a getter's first value", () => {
    let approved = false;
    const sent = Object.freeze({
      get approved() {
        return approved;
      },
    });
    const taken = frozenInput(sent);
    approved = true;
    expect(taken.approved).toBe(false);
  });
});
