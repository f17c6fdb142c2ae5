import { describe, expect, it } from "vitest";
import { checkCache } from "../../../test/fakes/anthropic-cache.ts";
import { checkMessages } from "../../../test/fakes/anthropic-rules.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";
import { WAYS } from "../../../test/models/run.ts";
import { anthropic } from "../../../test/recordings/anthropic/api.ts";
import { pendingCode } from "../../../test/recordings/anthropic/code.ts";
import { anthropicRecordings } from "../../../test/recordings/anthropic/index.ts";
import { describeRecordings, replay } from "../../../test/recordings/replay.ts";

describeRecordings(anthropic, anthropicRecordings);

describe.each(WAYS)("a request after a recorded reply that is %s", (way) => {
  it.each(
    anthropicRecordings
      .filter(({ service }) => service === undefined)
      .map((each) => [`${each.feature}: ${each.name}`, each] as const),
  )("is one that Anthropic takes: %s", async (_, recording) => {
    const { requests } = await replay(anthropic, recording, { way });
    for (const body of requests as readonly JsonObject[]) checkCache(body, checkMessages(body));
  });

  it("goes on with the code in its container, and keeps the skills", async () => {
    const { requests } = await replay(anthropic, pendingCode, { way });
    const skills = [{ type: "anthropic", skill_id: "xlsx", version: "latest" }];
    expect(requests.map(({ container }) => container)).toEqual([
      { skills },
      { skills, id: "container_7" },
      { skills, id: "container_7" },
      { skills },
    ]);
  });
});
