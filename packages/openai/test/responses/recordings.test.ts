import { describe, expect, it } from "vitest";
import { openItems } from "../../../../test/fakes/openai-responses-steps.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { openaiResponses } from "../../../../test/recordings/openai-responses/api.ts";
import { responsesRecordings } from "../../../../test/recordings/openai-responses/index.ts";
import { describeRecordings, replay } from "../../../../test/recordings/replay.ts";
import { describeToldStreams } from "../support/told.ts";

describeRecordings(openaiResponses, responsesRecordings);
describeToldStreams(openaiResponses, responsesRecordings);

it("keeps a result with an empty error as one that hasn't failed", async () => {
  const [recording] = responsesRecordings.filter(({ name }) => name === "an error that is empty");
  if (recording === undefined) throw new Error("no such recording");
  const { stored } = await replay(openaiResponses, recording, { way: "whole" });
  expect(JSON.stringify(stored)).not.toContain("isError");
});

describe("the requests of a recording", () => {
  const ofOpenAI = responsesRecordings.filter(({ service }) => service === undefined);

  it.each(ofOpenAI.map((each) => [`${each.feature}: ${each.name}`, each] as const))(
    "are what OpenAI accepts: %s",
    async (_, recording) => {
      const { requests } = await replay(openaiResponses, recording, { way: "whole" });
      const service = openItems();
      for (const [index, body] of requests.entries()) {
        expect(() => service.check(body as JsonObject, false)).not.toThrow();
        service.gave(
          body as JsonObject,
          (recording.replies[index]?.whole["output"] ?? []) as readonly JsonObject[],
        );
      }
    },
  );
});
