import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery } from "../../src/ranker/index.ts";

describe("parseQuery", () => {
  it("asks for each word in statements and questions", () => {
    expect(parseQuery("What do the dogs eat? The DOG!").terms).toEqual(["dog", "eat", "?dog", "?eat"]);
  });

  it.each([
    "When did she move?",
    "what year was it",
    "How long have they known it?",
    "Tell me when did it start",
  ])("asks for a time: %s", (text) => {
    const { temporal, terms } = parseQuery(text);
    expect(temporal).toBe(true);
    expect(terms).toContain("@when");
  });

  it.each(["What does she eat when she is ill?", "Who is whenever?", ""])("asks for no time: %s", (text) => {
    expect(parseQuery(text).temporal).toBe(false);
  });

  it("asks for a day, the days right after it, and its month", () => {
    const { dates, words } = parseQuery("the fair on 31 July 2023");
    expect([...words.keys()]).toEqual(["fair"]);
    expect(dates.get("@2023-07-31")).toBe(1);
    expect(dates.get("@2023-08-01")).toBeLessThan(1);
    expect(dates.get("@2023-08-01")).toBeGreaterThan(dates.get("@2023-08-07") ?? 1);
    expect(dates.get("@2023-07")).toBeLessThan(dates.get("@2023-08-01") ?? 0);
  });

  it("resolves relative dates from the given time", () => {
    expect([...parseQuery("last month").dates.keys()]).toEqual([]);
    expect([...parseQuery("last month", { now: Date.UTC(2024, 0, 15) }).dates.keys()]).toEqual(["@2023-12"]);
  });

  it("doesn't ask for negations", () => {
    expect(parseQuery("What can't he eat?").terms).toEqual(["eat", "?eat"]);
  });

  it("asks for at most 98 terms, each once, of any text", () => {
    const long = Array.from({ length: 500 }, (_, index) => `w${index} on ${(index % 28) + 1} May 2023`).join(
      " when is ",
    );
    for (const text of [long, "字".repeat(5_000), "\u0301".repeat(100_000)]) {
      expect(parseQuery(text).terms.length).toBeLessThanOrEqual(98);
    }
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const { terms } = parseQuery(text, { now: 0 });
        expect(new Set(terms).size).toBe(terms.length);
        expect(terms.length).toBeLessThanOrEqual(98);
      }),
    );
  });
});
