import { describe } from "vitest";
import { itStartsNamedTurnsOnce } from "../support/named-turns.ts";
import { openInMemory } from "../support/worlds.ts";

describe("a turn with an id from the request", () => itStartsNamedTurnsOnce(openInMemory));
