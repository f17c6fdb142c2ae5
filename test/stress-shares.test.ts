import { expect, it } from "vitest";
import { divideIntoShares, SHARES } from "./stress-shares.ts";

const times = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`file-${index}`, 1 + (index % 7)]),
);
const files = [...Object.keys(times), "file without a time"];

it("puts each stress file into one share", () => {
  const shares = divideIntoShares(files, times);
  expect(shares).toHaveLength(SHARES);
  expect(shares.flat().toSorted()).toEqual(files.toSorted());
});

it("gives all shares about the same time", () => {
  const sums = divideIntoShares(Object.keys(times), times).map((share) =>
    share.reduce((sum, file) => sum + (times[file] ?? 0), 0),
  );
  expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(7);
});

it("divides alike whatever the order of the files", () => {
  expect(divideIntoShares(files.toReversed(), times)).toEqual(divideIntoShares(files, times));
});
