import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { backendFactory, storeFactory } from "../support/user-memory.ts";

const open = openers["node-redis cluster"];

describeUserMemoryBackend("redis, Cluster", backendFactory(open));
describeUserMemory("redis, Cluster", storeFactory(open));
