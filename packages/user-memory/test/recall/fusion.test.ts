import { describe, expect, it } from "vitest";
import { fuse } from "../../src/recall/index.ts";

describe("fuse", () => {
  it("puts first what stands high in both lists", () => {
    expect(
      fuse([
        ["a", "b", "c"],
        ["b", "d"],
      ]).map(({ id }) => id),
    ).toEqual(["b", "a", "d", "c"]);
  });

  it("says the rank in each list, and 0 where it isn't", () => {
    expect(fuse([[1, 2], [2]])).toEqual([
      { id: 2, score: 1 / 62 + 1 / 61, ranks: [2, 1] },
      { id: 1, score: 1 / 61, ranks: [1, 0] },
    ]);
  });

  it("counts the better rank of what a list names twice", () => {
    expect(fuse([["a", "b", "a"]])[0]).toEqual({ id: "a", score: 1 / 61, ranks: [1] });
  });

  it("gives the first rank more weight with a smaller k", () => {
    const lists = [
      ["a", "c", "b"],
      ["d", "e", "b"],
    ];
    expect(fuse(lists)[0]?.id).toBe("b");
    expect(fuse(lists, { k: 0.1 })[0]?.id).toBe("a");
  });

  it("makes nothing of nothing", () => {
    expect(fuse([])).toEqual([]);
    expect(fuse([[], []])).toEqual([]);
  });
});
