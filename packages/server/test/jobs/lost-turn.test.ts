import { describe } from "vitest";
import { itLosesNoMessage } from "../support/lost-turns.ts";
import { openInMemory } from "../support/worlds.ts";

describe("the message of a turn that no process can finish", () => itLosesNoMessage(openInMemory));
