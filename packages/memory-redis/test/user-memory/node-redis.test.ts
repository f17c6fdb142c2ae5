import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { backendFactory, storeFactory } from "../support/user-memory.ts";

const open = openers["node-redis"];

describeUserMemoryBackend("redis, node-redis", backendFactory(open));
describeUserMemory("redis, node-redis", storeFactory(open));
