import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { openers } from "../support/clients.ts";
import { backendFactory, storeFactory } from "../support/user-memory.ts";

const open = openers.ioredis;

describeUserMemoryBackend("redis, ioredis", backendFactory(open));
describeUserMemory("redis, ioredis", storeFactory(open));
