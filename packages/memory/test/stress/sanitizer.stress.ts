import { sanitizeConversation } from "@jaf/memory";
import { expect, it } from "vitest";
import { brokenRules } from "../history/messages/replay-rules.ts";
import { mutate, randomFrom } from "../history/mutations.ts";
import { recordedConversations, recordedMissing } from "../history/recorded-conversations.ts";
import { richHistory } from "../history/rich-histories.ts";

const MUTATIONS = 100_000;

it(`repairs ${MUTATIONS} mutations of histories of rich messages`, () => {
  for (let seed = 0; seed < MUTATIONS; seed++) {
    const random = randomFrom(seed);
    const mutated = mutate(richHistory(random), random);
    const sanitized = sanitizeConversation(mutated);
    const broken = brokenRules(mutated, sanitized);
    if (broken.length > 0) expect.fail(`seed ${seed}: ${broken.join("; ")}`);
    if (sanitizeConversation(sanitized) !== sanitized) expect.fail(`seed ${seed}: a second pass changed it`);
  }
}, 300_000);

it.skipIf(recordedMissing !== undefined)(
  `repairs ${MUTATIONS} mutations of the recorded conversations${recordedMissing ? ` (skipped: ${recordedMissing})` : ""}`,
  () => {
    const conversations = recordedConversations();
    for (let seed = 0; seed < MUTATIONS; seed++) {
      const random = randomFrom(seed + 1_000_000);
      const mutated = mutate(conversations[random(conversations.length)] ?? [], random);
      const sanitized = sanitizeConversation(mutated);
      const broken = brokenRules(mutated, sanitized);
      if (broken.length > 0) expect.fail(`seed ${seed + 1_000_000}: ${broken.join("; ")}`);
      if (sanitizeConversation(sanitized) !== sanitized)
        expect.fail(`seed ${seed + 1_000_000}: a second pass changed it`);
    }
  },
  300_000,
);
