import type { ExtractFacts, ExtractionOptions } from "@jaf/user-memory";
import { statementsIn } from "./facts.ts";
import { asFact } from "./person.ts";
import { understood } from "./understood.ts";

const SCORE = 0.9;

/** Proposes facts as a model would, by the rules by which the assistant understands them. What is kept is not its to say. */
const proposeFacts: ExtractFacts = async ({ said }) =>
  said.flatMap((text) =>
    statementsIn(understood(text)).map(({ key, words }) => ({
      fact: asFact(words),
      evidence: words,
      score: SCORE,
      key: key.replaceAll(" ", "-"),
    })),
  );

/**
 * How the assistant learns. It takes no model and no time, and the demo's folder has one process at a time: so what a
 * process that is gone has left is taken over after a second.
 */
export const learning = {
  extract: proposeFacts,
  leaseMs: 1_000,
  retryDelayMs: 1_000,
} satisfies ExtractionOptions;
