import { describeUserMemory } from "@jaf/user-memory/testing";
import { createStores } from "../support/user-memory.ts";

describeUserMemory("sqlite", createStores);
