import { describe } from "vitest";
import { openInMemory } from "../support/worlds.ts";
import { itStartsNamedTurnsOnce } from "../support/named-turns.ts";

describe("a turn whose id the request gives", () => itStartsNamedTurnsOnce(openInMemory));
