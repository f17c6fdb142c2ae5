import { describe } from "vitest";
import { realWorlds } from "../support/real-worlds.ts";
import { itStartsNamedTurnsOnce } from "../support/named-turns.ts";

describe.each(realWorlds)("a turn whose id the request gives, on %s", (_store, openWorld) =>
  itStartsNamedTurnsOnce(openWorld),
);
