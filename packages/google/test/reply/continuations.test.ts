import { describe, expect, it } from "vitest";
import { WAYS } from "../../../../test/models/run.ts";
import { google } from "../../../../test/recordings/google/api.ts";
import { replied } from "../../../../test/recordings/google/replies.ts";
import { replay } from "../../../../test/recordings/replay.ts";

describe.each(WAYS)("a reply without an end that is %s", (way) => {
  it("counts as cut off by its length after nine responses", async () => {
    const replies = Array.from({ length: 12 }, (_, nth) =>
      replied([[{ text: String(nth) }]], { finishReason: "CONTINUATION", continuationToken: `t${nth}` }),
    );
    const { first, requests, events } = await replay(
      google,
      {
        feature: "paused turns",
        name: "without an end",
        documented: "https://ai.google.dev/api/generate-content#FinishReason",
        model: "gemini-3.8-flash",
        replies,
        outcome: { status: "completed", output: "012345678" },
      },
      { way },
    );
    expect(first.outcome).toEqual({ status: "completed", output: "012345678" });
    expect(requests).toHaveLength(9);
    expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({
      data: { status: "success", finishReason: "length" },
    });
  });
});
