import { describe } from "vitest";
import { itServesOwnClient } from "../client/support/own-client.ts";
import { realWorlds } from "../support/real-worlds.ts";

describe.each(realWorlds)("JAF's client on %s", (_store, openWorld) => itServesOwnClient(openWorld));
