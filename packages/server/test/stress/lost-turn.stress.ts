import { describe } from "vitest";
import { itLosesNoMessage } from "../support/lost-turns.ts";
import { realWorlds } from "../support/real-worlds.ts";

describe.each(realWorlds)("the message of a turn that no process can finish, on %s", (_store, openWorld) =>
  itLosesNoMessage(openWorld),
);
