/** The SQLite store keeps the contract of every Store. */
import { openTemp, tempStatePath } from "./temp-state.ts";
import { describeMembers } from "./members-contract.ts";
import { describeStore } from "./store-contract.ts";

describeStore("SQLite", () => openTemp(tempStatePath()));
describeMembers("SQLite", () => openTemp(tempStatePath()));
