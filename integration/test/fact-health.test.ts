import { createPostgresUserMemory } from "@jaf/memory-postgres/user-memory";
import { createRedisUserMemory } from "@jaf/memory-redis/user-memory";
import { openSqlite } from "@jaf/memory-sqlite";
import { createSqliteUserMemory } from "@jaf/memory-sqlite/user-memory";
import { applyRemedies, examineUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { createClient } from "redis";
import { expect, inject, it, onTestFinished } from "vitest";
