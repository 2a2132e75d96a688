/**
 * The project's own lint rules: one for each port of the architecture's seams, log messages that
 * can be searched for, and dependencies that are passed on by name. .oxlintrc.json says which
 * folders a rule applies to, and names the exceptions.
 */
import { refusedInName, refusedInText } from "./words.mjs";

/** Member chains (`Date.now`) and plain globals (`fetch`) that reach the outside without a port. */
const AMBIENT = {
  time: {
    port: "Clock",
    names: [
      "Date.now",
      "performance.now",
      "process.hrtime",
      "process.uptime",
      "setTimeout",
      "setInterval",
      "setImmediate",
    ],
    modules: [
      "node:timers",
      "node:timers/promises",
      "node:perf_hooks",
      "timers",
      "timers/promises",
      "perf_hooks",
    ],
    imports: {},
  },
  random: {
    port: "Random",
    names: ["Math.random", "crypto.randomUUID", "crypto.getRandomValues"],
    modules: [],
    imports: {
      "node:crypto": [
        "randomUUID",
        "randomBytes",
        "randomInt",
        "randomFillSync",
        "webcrypto",
        "default",
        "*",
      ],
    },
  },
  network: {
    port: "Http",
    names: ["fetch", "WebSocket", "XMLHttpRequest", "EventSource"],
    modules: [
      "undici",
      "node:http",
      "node:https",
      "node:http2",
      "node:net",
      "node:tls",
      "node:dns",
      "node:dns/promises",
      "node:dgram",
    ],
    imports: {},
  },
  environment: {
    port: "Environment",
    names: ["process.env", "process.cwd", "process.loadEnvFile"],
    modules: ["node:os", "os"],
    imports: { "node:process": ["env", "cwd"] },
  },
  files: {
    port: "Files",
    names: [],
    modules: ["node:fs", "node:fs/promises", "fs", "fs/promises"],
    imports: {},
  },
};

const GLOBAL_HOSTS = new Set(["globalThis", "global"]);

/**
 * Returns `a.b.c` for an expression, without a leading `globalThis.`, or undefined for anything
 * computed.
 */
function chainOf(node) {
  if (node.type === "Identifier") return GLOBAL_HOSTS.has(node.name) ? "" : node.name;
  if (node.type !== "MemberExpression") return undefined;
  const owner = chainOf(node.object);
  const property = node.computed ? node.property.value : node.property.name;
  if (owner === undefined || typeof property !== "string") return undefined;
  return owner === "" ? property : `${owner}.${property}`;
}

function firstOf(node) {
  return node.type === "MemberExpression" ? firstOf(node.object) : node;
}

/** Returns whether the name is the platform's own and not a parameter or a variable of the file. */
function isGlobal(context, identifier) {
  for (let scope = context.sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
    const variable = scope.set.get(identifier.name);
    if (variable !== undefined && variable.defs.length > 0) return false;
  }
  return true;
}

/** Returns whether an identifier is only a name: a key, a property, a parameter, an import. */
function isNameOnly(node) {
  const { parent } = node;
  if (parent.type === "MemberExpression") return parent.property === node && !parent.computed;
  if (
    parent.type === "Property" ||
    parent.type === "MethodDefinition" ||
    parent.type === "PropertyDefinition"
  )
    return parent.key === node && !parent.shorthand;
  return (
    parent.type.startsWith("TS") ||
    parent.type.startsWith("Import") ||
    parent.type.startsWith("Export")
  );
}

function checkImport(context, { port, modules, imports }, node) {
  if (node.importKind === "type") return;
  const from = node.source.value;
  const reach = (name) =>
    context.report({
      node,
      message: `${name} reaches the outside: ask for the ${port} port of model/ instead.`,
    });
  if (modules.includes(from)) return reach(from);
  for (const specifier of node.specifiers ?? []) {
    const name =
      specifier.imported?.name ?? (specifier.type === "ImportNamespaceSpecifier" ? "*" : "default");
    if (imports[from]?.includes(name)) reach(`${name} of ${from}`);
  }
}

function noAmbient(kind) {
  const ambient = AMBIENT[kind];
  const report = (context, node, name) =>
    context.report({
      node,
      message: `${name} reaches the outside: ask for the ${ambient.port} port of model/ instead.`,
    });
  return {
    create: (context) => ({
      Identifier(node) {
        if (ambient.names.includes(node.name) && !isNameOnly(node) && isGlobal(context, node))
          report(context, node, node.name);
      },
      MemberExpression(node) {
        const chain = chainOf(node);
        if (
          chain !== undefined &&
          ambient.names.includes(chain) &&
          isGlobal(context, firstOf(node))
        )
          report(context, node, chain);
      },
      ImportDeclaration: (node) => checkImport(context, ambient, node),
      ImportExpression(node) {
        if (ambient.modules.includes(node.source.value)) report(context, node, node.source.value);
      },
      ...(kind === "time" && newDateWithoutArgument(context, report)),
    }),
  };
}

/** `new Date()` reads the clock, `new Date(ms)` does not; `Date()` always does. */
function newDateWithoutArgument(context, report) {
  const isDate = (node) =>
    node.callee.type === "Identifier" &&
    node.callee.name === "Date" &&
    isGlobal(context, node.callee);
  return {
    NewExpression(node) {
      if (isDate(node) && node.arguments.length === 0) report(context, node, "new Date()");
    },
    CallExpression(node) {
      if (isDate(node)) report(context, node, "Date()");
    },
  };
}

/** Returns whether a text is one fixed sentence, or a choice between two. */
function isFixedText(node) {
  if (node.type === "ConditionalExpression")
    return isFixedText(node.consequent) && isFixedText(node.alternate);
  return (
    node.type === "Literal" || (node.type === "TemplateLiteral" && node.expressions.length === 0)
  );
}

const LEVELS = new Set(["debug", "info", "warn", "error"]);

/**
 * A log message is one sentence for each place in the code. Variable parts go into the fields, so
 * that log lines can be counted by message.
 */
const staticLogMessages = {
  create: (context) => ({
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || !LEVELS.has(callee.property.name)) return;
      const owner =
        callee.object.type === "MemberExpression"
          ? callee.object.property.name
          : callee.object.name;
      const [message] = node.arguments;
      if (owner !== "log" || message === undefined || isFixedText(message)) return;
      context.report({
        node: message,
        message: "A log message is a fixed sentence: what varies goes into the fields.",
      });
    },
  }),
};

/** Returns the name of what is spread: `deps`, `this.deps`, `this.#deps`, `sinkDeps(…)`. */
function nameOf(node) {
  if (node.type === "CallExpression") return nameOf(node.callee);
  return node.type === "MemberExpression" ? node.property.name : node.name;
}

/**
 * Dependencies must be listed where a part is made: `{ ...deps, more }` hides which of the fields
 * it uses.
 */
const noDepsSpread = {
  create: (context) => ({
    SpreadElement(node) {
      if (node.parent.type !== "ObjectExpression" || !/deps$/i.test(nameOf(node.argument) ?? ""))
        return;
      context.report({
        node,
        message: "Dependencies are handed on by name, each part its own: do not spread them.",
      });
    },
  }),
};

const messageOf = ({ word, say }) => `"${word}" is not a word of docs/glossary.md. Say: ${say}.`;

/**
 * Names, comments and texts use the words of the glossary. words.mjs lists the words that it
 * replaces. A name is reported once in a file.
 */
const glossaryWords = {
  create(context) {
    const path = context.filename.replaceAll("\\", "/");
    const seen = new Set();
    const checkName = (node) => {
      if (seen.has(node.name)) return;
      seen.add(node.name);
      const refused = refusedInName(node.name, path);
      if (refused !== undefined)
        context.report({ node, message: `In ${node.name}, ${messageOf(refused)}` });
    };
    const checkText = (place, text) => {
      const refused = refusedInText(text, path);
      if (refused !== undefined) context.report({ ...place, message: messageOf(refused) });
    };
    return {
      Program(node) {
        const refused = refusedInName(path.split("/").at(-1) ?? "", path);
        if (refused !== undefined)
          context.report({ node, message: `In the file's name, ${messageOf(refused)}` });
        for (const { loc, value } of context.sourceCode.getAllComments())
          for (const [index, text] of value.split("\n").entries()) {
            const at = { line: loc.start.line + index, column: index === 0 ? loc.start.column : 0 };
            checkText({ loc: { start: at, end: at } }, text);
          }
      },
      Identifier: checkName,
      PrivateIdentifier: checkName,
      Literal(node) {
        if (typeof node.value === "string" && !node.parent.type.startsWith("Import"))
          checkText({ node }, node.value);
      },
      TemplateElement: (node) => checkText({ node }, node.value.raw),
    };
  },
};

/** Types of objects whose keys come from outside. */
const NAMED_BY_OTHERS = /\b(?:Labels|Environment)\b/;
const TABLE = /\bRecord<string,/;

/**
 * Returns the type annotation of a variable, and whether the variable belongs to the whole file.
 */
function writtenType(context, identifier) {
  for (let scope = context.sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
    const [definition] = scope.set.get(identifier.name)?.defs ?? [];
    if (definition === undefined) continue;
    const annotation = definition.name.typeAnnotation;
    const isTop = scope.type === "module" || scope.type === "global";
    return { text: annotation ? context.sourceCode.getText(annotation) : "", isTop };
  }
  return { text: "", isTop: false };
}

/**
 * `TABLE[name]` also finds properties that every object inherits, such as `constructor` and
 * `toString`. Elements of arrays and literal names are fine.
 */
const ownNames = {
  create: (context) => ({
    MemberExpression(node) {
      if (
        !node.computed ||
        node.property.type === "Literal" ||
        node.parent.type === "UnaryExpression"
      )
        return;
      const { object } = node;
      const isLabels =
        object.type === "MemberExpression" && !object.computed && object.property.name === "labels";
      const { text, isTop } =
        object.type === "Identifier" ? writtenType(context, object) : { text: "", isTop: false };
      if (!isLabels && !NAMED_BY_OTHERS.test(text) && !(isTop && TABLE.test(text))) return;
      context.report({
        node,
        message:
          "An object has names that nobody gave it, like `constructor`: use ownValue of model/own-value.ts, or a Map.",
      });
    },
  }),
};

/** Openings of fragments, which a reader understands only with the line above or below. */
const FRAGMENT = /^\*\s*(?:\*\s*)?(Of|One|By|As|Its|It|Those|In|So|Who|Whom)\b/;

/** A doc comment begins with a verb ("Reads …") or with what the thing is ("The …"). */
const docCommentOpening = {
  create: (context) => ({
    Program() {
      for (const { type, value, loc } of context.sourceCode.getAllComments()) {
        const opening = type === "Block" ? FRAGMENT.exec(value)?.[1] : undefined;
        if (opening !== undefined)
          context.report({
            loc,
            message: `A doc comment is a sentence: begin with a verb or with what the thing is, not with "${opening}".`,
          });
      }
    },
  }),
};

export default {
  meta: { name: "house" },
  rules: {
    "no-ambient-time": noAmbient("time"),
    "no-ambient-random": noAmbient("random"),
    "no-ambient-network": noAmbient("network"),
    "no-ambient-environment": noAmbient("environment"),
    "no-ambient-files": noAmbient("files"),
    "static-log-messages": staticLogMessages,
    "no-deps-spread": noDepsSpread,
    "glossary-words": glossaryWords,
    "own-names": ownNames,
    "doc-comment-opening": docCommentOpening,
  },
};
