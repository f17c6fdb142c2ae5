import { describe, expect, it } from "vitest";
import { asksNotToKeep } from "../../../src/evidence/off-record.ts";
import { laterPhrasings } from "./later-phrasings.ts";
import { everyday, phrasings } from "./phrasings.ts";

const PLACES: readonly (readonly [string, (fact: string, request: string) => string])[] = [
  ["before the fact", (fact, request) => `${request}. ${fact}.`],
  ["within the fact", (fact, request) => insert(fact, request)],
  ["behind the fact", (fact, request) => `${fact}, ${request}`],
];

function insert(fact: string, request: string): string {
  const middle = fact.indexOf(" ", fact.length / 2);
  const at = middle < 0 ? fact.length >> 1 : middle;
  return `${fact.slice(0, at)} – ${request} –${fact.slice(at)}`;
}

describe.each([...phrasings, ...laterPhrasings])("asksNotToKeep in $language", ({ fact, requests }) => {
  describe.each(PLACES)("%s", (_place, join) => {
    it.each(requests)("detects %s", (request) => {
      expect(asksNotToKeep(join(fact, request))).toBe(true);
    });
  });

  it("detects nothing in the fact itself", () => {
    expect(asksNotToKeep(fact)).toBe(false);
  });
});

describe("asksNotToKeep", () => {
  it.each(everyday)("ignores %s", (sentence) => {
    expect(asksNotToKeep(sentence)).toBe(false);
  });
});
