import { describe, expect, it } from "vitest";
import { dateTerms, timeMentions } from "../../src/ranker/dates.ts";

/** A Wednesday. */
const SAID = Date.UTC(2024, 2, 13, 22, 30);
const finest = (text: string, said?: number) =>
  timeMentions(text, said).dates.map((date) => dateTerms(date).at(-1));

describe("timeMentions", () => {
  it.each([
    ["on 8 may, 2023", "@2023-05-08"],
    ["on the 1st of june 2021", "@2021-06-01"],
    ["on may 23rd, 2023", "@2023-05-23"],
    ["seit 2023-07-09t10:00:00z", "@2023-07-09"],
    ["sept. 2020", "@2020-09"],
    ["since march", "@03"],
    ["november was cold", "@11"],
    ["back in 1999", "@1999"],
    ["my birthday is july 4", "@07"],
  ])("%s names %s", (text, term) => {
    expect(finest(text)).toEqual([term]);
  });

  it.each([
    ["we met yesterday", "@2024-03-12"],
    ["the day before yesterday", "@2024-03-11"],
    ["see you tomorrow", "@2024-03-14"],
    ["last friday", "@2024-03-08"],
    ["on wednesday", "@2024-03-06"],
    ["next wednesday", "@2024-03-20"],
    ["this friday", "@2024-03-15"],
    ["last month", "@2024-02"],
    ["three months ago", "@2023-12"],
    ["a couple of years ago", "@2022"],
    ["in 2 days", "@2024-03-15"],
    ["next year", "@2025"],
  ])("%s names %s by when it was said", (text, term) => {
    expect(finest(text, SAID)).toEqual([term]);
  });

  it("expands a week to seven days and a weekend to two", () => {
    expect(finest("last weekend", SAID)).toEqual(["@2024-03-09", "@2024-03-10"]);
    expect(finest("last week", SAID)).toHaveLength(7);
    expect(finest("last week", SAID)).toContain("@2024-03-06");
  });

  it("reads the end of a year and of a leap February", () => {
    expect(finest("yesterday", Date.UTC(2024, 0, 1))).toEqual(["@2023-12-31"]);
    expect(finest("yesterday", Date.UTC(2024, 2, 1))).toEqual(["@2024-02-29"]);
  });

  it("returns no date for a relative time without a reference, but reports the time", () => {
    const { some, dates, rest } = timeMentions("we met yesterday");
    expect({ some, dates, rest }).toEqual({ some: true, dates: [], rest: "we met yesterday" });
  });

  it.each(["you may go", "a march in the rain", "room 45", "13-13-13", "may day"])(
    "%s names none",
    (text) => {
      expect(finest(text, SAID)).toEqual([]);
    },
  );

  it("leaves the other words", () => {
    expect(timeMentions("the trip in june 2023 to rome").rest.split(/\s+/)).toEqual([
      "the",
      "trip",
      "in",
      "to",
      "rome",
    ]);
  });
});
