import { describe, expect, it } from "vitest";
import { nextTime } from "../../src/jobs/timer-schedule.ts";

/** Returns the next times of a schedule, each found from the one before. */
function timesOf(cron: string, { timeZone = "Europe/Paris", from = "", count = 4 }): readonly string[] {
  const times: string[] = [];
  let after = new Date(from);
  while (times.length < count) {
    const next = nextTime({ cron, timeZone }, after);
    if (!(next instanceof Date)) throw new Error(next);
    times.push(next.toISOString().slice(0, 16));
    after = next;
  }
  return times;
}

describe("the next time of a schedule", () => {
  it("in an hour that the clocks repeat is in its first pass", () => {
    // 2:00 to 3:00 in Paris is 0:00 to 1:00 and again 1:00 to 2:00 UTC.
    expect(timesOf("*/30 * * * *", { from: "2026-10-24T23:45:00Z" })).toEqual([
      "2026-10-25T00:00",
      "2026-10-25T00:30",
      "2026-10-25T02:00",
      "2026-10-25T02:30",
    ]);
  });

  it("in an hour that the clocks skip is an hour later", () => {
    // 2:00 to 3:00 in Paris doesn't exist: it is 3:00 at 1:00 UTC.
    expect(timesOf("30 2 * * *", { from: "2027-03-27T12:00:00Z", count: 2 })).toEqual([
      "2027-03-28T01:30",
      "2027-03-29T00:30",
    ]);
  });

  it.each([
    ["Europe/Paris", "2026-10-24T22:00:00Z"],
    ["Europe/Paris", "2027-03-27T22:00:00Z"],
    ["America/New_York", "2026-11-01T03:00:00Z"],
    ["Australia/Lord_Howe", "2027-04-03T12:00:00Z"],
    ["Antarctica/Troll", "2026-10-24T22:00:00Z"],
    ["Pacific/Apia", "2026-11-28T12:00:00Z"],
  ])("is after the time it is asked for, %s from %s", (timeZone, from) => {
    for (let minute = 0; minute < 420; minute += 7) {
      const after = new Date(new Date(from).getTime() + minute * 60_000);
      for (const cron of ["*/15 * * * *", "30 2 * * *", "0 * * * *", "@hourly"]) {
        const next = nextTime({ cron, timeZone }, after);
        expect(Number(next), `${cron} after ${after.toISOString()}`).toBeGreaterThan(after.getTime());
      }
    }
  });

  it.each([
    ["0 9 * jan-MAR mon,Wed", "2027-01-04T09:00"],
    ["0 0 29 2 *", "2028-02-29T00:00"],
    ["0 0 31 2-4 *", "2027-03-31T00:00"],
    ["0 0 31 2 mon", "2027-02-01T00:00"],
    ["0 0 30-31 2,12 *", "2026-12-30T00:00"],
    ["@yearly", "2027-01-01T00:00"],
    ["  5   */12 * * 7 ", "2026-11-29T00:05"],
  ])("is one that matches, %s", (cron, time) => {
    expect(timesOf(cron, { timeZone: "UTC", from: "2026-11-28T12:00:00Z", count: 1 })).toEqual([time]);
  });

  it.each([
    ["0 0 30 2 *", "none"],
    ["0 0 30,31 FEB *", "none"],
    ["0 0 31 2,4,6,9,11 *", "none"],
    ["0 0 L * *", "unknown"],
    ["0 0 1W * *", "unknown"],
    ["0 0 * * 5#1", "unknown"],
    ["0 0 1 * +5", "unknown"],
    ["* * * *", "unknown"],
    ["60 * * * *", "unknown"],
    ["2027-01-01T00:00:00", "unknown"],
    [`${"1,".repeat(100)}1 * * * *`, "unknown"],
  ])("of %s is %s", (cron, next) => {
    expect(nextTime({ cron, timeZone: "Pacific/Apia" }, new Date())).toBe(next);
  });
});
