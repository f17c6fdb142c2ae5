import { describe } from "vitest";
import { itStartsNamedTurnsOnce } from "../support/named-turns.ts";
import { openInMemory } from "../support/worlds.ts";

describe("a turn whose id the request gives", () => itStartsNamedTurnsOnce(openInMemory));
