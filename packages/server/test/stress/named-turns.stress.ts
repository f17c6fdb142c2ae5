import { describe } from "vitest";
import { itStartsNamedTurnsOnce } from "../support/named-turns.ts";
import { realWorlds } from "../support/real-worlds.ts";

describe.each(realWorlds)("a turn with an id from the request, on %s", (_store, openWorld) =>
  itStartsNamedTurnsOnce(openWorld),
);
