import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { IDeployment, IStatefulSet } from "kubernetes-models/apps/v1";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1";
import type { IService } from "kubernetes-models/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import { METRICS } from "../../src/model/meter.ts";
import { promtool } from "../support/promtool.ts";

const rootUrl = (name: string) => new URL(`../../${name}`, import.meta.url);
const readRoot = (name: string) => readFileSync(rootUrl(name), "utf8");
const read = (name: string) => readRoot(`config/${name}`);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const rules = (
  parse(read("alerts.prometheus.yaml")) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
interface AlertCase {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

const cases = (
  parse(readRoot("test/server/alert-cases.yaml")) as { tests: readonly AlertCase[] }
).tests.flatMap((one) => one.alert_rule_test);
const dashboard = JSON.parse(read("grafana-dashboard.json")) as {
  panels: {
    id: number;
    title: string;
    targets: { expr: string }[];
    gridPos: { x: number; w: number };
  }[];
};

/**
 * Returns the metrics of an expression, each with the labels that its selector names. The series of
 * a histogram count as the histogram.
 */
function selectorsOf(expr: string): { metric: string; labels: string[] }[] {
  return [...expr.matchAll(/(chirpwatch_[a-z_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", inside = ""]) => ({
      metric: name in METRICS ? name : name.replace(/_(bucket|sum|count)$/, ""),
      labels: [...inside.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label),
    }),
  );
}

const expressions = [
  ...rules.map((rule) => [rule.alert, rule.expr] as const),
  ...dashboard.panels.flatMap((panel) =>
    panel.targets.map((target) => [panel.title, target.expr] as const),
  ),
];

describe("alerts and dashboard", () => {
  it.each(expressions)("%s asks for metrics and labels that exist", (_, expr) => {
    for (const { metric, labels } of selectorsOf(expr)) {
      expect(Object.keys(METRICS)).toContain(metric);
      const known: readonly string[] = [
        ...METRICS[metric as keyof typeof METRICS].labels,
        "instance",
        "job",
      ];
      for (const label of labels) expect(known, expr).toContain(label);
    }
  });

  it("cover everything that an operator must know", () => {
    const asked = rules.flatMap((rule) => selectorsOf(rule.expr).map(({ metric }) => metric));
    for (const metric of [
      "delivery_delay_seconds",
      "breaker_open",
      "dead_letters_unacknowledged",
      "quota_spent",
      "upstream_up",
      "poll_overdue_seconds",
    ])
      expect(asked).toContain(`chirpwatch_${metric}`);
  });

  it.each(rules.map(({ alert }) => alert))(
    "%s has a case where it fires and one where it does not",
    (alert) => {
      const own = cases.filter(({ alertname }) => alertname === alert);
      expect(own.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
      expect(own.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
    },
  );

  it("fire and stay quiet as their cases say", (context) => {
    expect(
      promtool(context, [
        "check",
        "rules",
        fileURLToPath(rootUrl("config/alerts.prometheus.yaml")),
      ]),
    ).toMatchObject({ status: 0 });
    const { status, output } = promtool(context, [
      "test",
      "rules",
      fileURLToPath(rootUrl("test/server/alert-cases.yaml")),
    ]);
    expect(status, output).toBe(0);
  });

  it("give every alert a severity, a sentence and a next step", () => {
    expect(new Set(rules.map((rule) => rule.alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Chirpwatch[A-Z]/);
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(annotations.summary).not.toBe("");
      expect(annotations.description).toMatch(/\.$/);
    }
  });

  it("keep the dashboard's panels apart and inside its 24 columns", () => {
    expect(new Set(dashboard.panels.map((panel) => panel.id)).size).toBe(dashboard.panels.length);
    for (const { gridPos } of dashboard.panels)
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});

describe("the Slack app manifest", () => {
  it("asks for posting, under other names too, for the app of a bot, and for the members of user groups", () => {
    const manifest = parse(read("slack-app-manifest.yaml")) as {
      oauth_config: { scopes: { bot: string[] } };
    };
    expect(manifest.oauth_config.scopes.bot).toEqual([
      "chat:write",
      "chat:write.public",
      "users:read",
      "usergroups:read",
      "chat:write.customize",
    ]);
  });
});

describe("the systemd unit", () => {
  it("reloads on SIGHUP, does not restart what a restart cannot cure, and waits longer than sends under way take", () => {
    const unit = read("chirpwatch.service");
    expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2 75 78$/m);
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1])).toBeGreaterThan(8);
  });
});

describe("the image", () => {
  const stages = readRoot("Dockerfile").split(/^FROM /m);
  const last = stages.at(-1) ?? "";

  it("needs no compiler, and leaves package managers in the first stage", () => {
    expect(stages[1]).not.toMatch(/apt-get|g\+\+|python3/);
    expect(last).not.toMatch(/apt-get|npm (ci|install|run)|g\+\+|python3/);
    expect(last).toContain("rm -rf /usr/local/lib/node_modules/npm");
  });

  it("keeps of node_modules what is not bundled, and plays the demo as its last step", () => {
    expect(stages[1]).toContain("node config/build/prune-image.mjs");
    expect([...last.matchAll(/^RUN (.+)$/gm)].at(-1)?.[1]).toMatch(/^chirpwatch demo --once /);
    expect(last.indexOf("USER ")).toBeLessThan(last.indexOf("chirpwatch demo"));
  });

  it("runs as a user by number, who owns /data, and proves its health by the command", () => {
    expect(last).toMatch(/^USER 1000:1000$/m);
    expect(last).toContain("chown 1000:1000 /data");
    expect(last).toMatch(/^HEALTHCHECK .* CMD \["chirpwatch", "health"\]$/m);
  });

  it("has its labels and its base from arguments, which docker-bake.hcl hands on for both architectures", () => {
    const taken = [...readRoot("Dockerfile").matchAll(/^ARG (\w+)=/gm)].map(
      ([, name]) => name ?? "",
    );
    expect(taken).toEqual(["NODE_IMAGE", "VERSION", "REVISION", "SOURCE", "CREATED"]);
    const bake = readRoot("docker-bake.hcl");
    for (const name of taken) {
      expect(bake).toMatch(new RegExp(`^variable "${name}" `, "m"));
      expect(bake).toMatch(new RegExp(`^    ${name} += ${name}$`, "m"));
      if (name !== "NODE_IMAGE")
        expect(last).toContain(`org.opencontainers.image.${name.toLowerCase()}="\${${name}}"`);
    }
    const written = (text: string) => /"?(docker\.io\/library\/node:[^"\s]+)/.exec(text)?.[1];
    expect(written(bake)).toBe(written(readRoot("Dockerfile")));
    expect(bake).toContain('platforms = ["linux/amd64", "linux/arm64"]');
  });

  it("copies only what the ignore file lets in", () => {
    const allowed = readRoot(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = [...readRoot("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, names = ""]) => names.split(" "),
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const name of copied) expect(allowed).toContain(name);
  });
});

describe("the compose file", () => {
  interface Service {
    readonly profiles: readonly string[];
    readonly read_only: boolean;
    readonly init: boolean;
    readonly mem_limit: string;
    readonly pids_limit: number;
    readonly logging: {
      readonly driver: string;
      readonly options: Readonly<Record<string, string>>;
    };
    readonly ports: readonly string[];
    readonly command?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  }
  const { services } = parse(readRoot("compose.yaml"), { merge: true }) as {
    services: Record<"chirpwatch" | "demo", Service>;
  };

  it("starts one service a profile, as both publish the same port", () => {
    expect([services.chirpwatch.profiles, services.demo.profiles]).toEqual([["daemon"], ["demo"]]);
  });

  it("keeps the root file system read-only and publishes to this machine only", () => {
    for (const service of Object.values(services)) {
      expect(service.read_only).toBe(true);
      for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it("limits memory, processes and logs, and has an init that handles every signal", () => {
    for (const { init, mem_limit, pids_limit, logging } of Object.values(services)) {
      expect(init).toBe(true);
      expect(mem_limit).toMatch(/^\d+[mg]$/);
      // The limit must cover Node's threads, and those of the health check and of a command beside
      // the daemon.
      expect(pids_limit).toBeGreaterThanOrEqual(64);
      expect(logging).toEqual({
        driver: "json-file",
        options: { "max-size": "10m", "max-file": "3" },
      });
    }
  });

  it("takes the image that CHIRPWATCH_IMAGE names, here and for several daemons, and builds one else", () => {
    const image = "${CHIRPWATCH_IMAGE:-chirpwatch}";
    const several = parse(readRoot("compose.ha.yaml")) as { services: { chirpwatch: object } };
    for (const service of [services.chirpwatch, services.demo, several.services.chirpwatch])
      expect(service).toMatchObject({ image, build: "." });
  });

  it("names a token for the demo, so that its status page can be opened", () => {
    expect(services.demo.command).toEqual(["demo", "--stay"]);
    expect(services.demo.environment?.CHIRPWATCH_SERVER_TOKEN).toMatch(/:-demo\}$/);
  });
});

describe("the files for several daemons", () => {
  interface HardenedService {
    readonly deploy: { readonly replicas: number };
    readonly environment: Readonly<Record<string, string>>;
    readonly ports?: unknown;
  }
  const one = (
    parse(readRoot("compose.yaml"), { merge: true }) as { services: { chirpwatch: object } }
  ).services.chirpwatch;
  const { services } = parse(readRoot("compose.ha.yaml")) as {
    services: { chirpwatch: HardenedService };
  };
  const HARDENING = [
    "read_only",
    "tmpfs",
    "cap_drop",
    "security_opt",
    "init",
    "mem_limit",
    "pids_limit",
    "logging",
    "stop_grace_period",
  ];

  it("compose.ha.yaml starts three, hardened like the one of compose.yaml, none of which publishes the same port", () => {
    expect(services.chirpwatch.deploy.replicas).toBe(3);
    for (const key of HARDENING)
      expect([key, Reflect.get(services.chirpwatch, key)]).toEqual([key, Reflect.get(one, key)]);
    expect(services.chirpwatch.ports).toBeUndefined();
  });

  it("compose.ha.yaml names a database that the configuration takes", () => {
    const address =
      services.chirpwatch.environment.STATE_URL?.replace(/\$\{POSTGRES_PASSWORD:-(\w+)\}/, "$1") ??
      "";
    expect(parsePostgresUrl(address, "/")).toMatchObject({
      host: "postgres",
      user: "chirpwatch",
      database: "chirpwatch",
      tls: "off",
    });
  });
});

/** Returns the documents of a file, in order. */
const documentsOf = (name: string) =>
  parseAllDocuments(read(name)).map((document) => document.toJS() as { readonly kind: string });

describe("the files for Kubernetes", () => {
  const [deployment, budget] = documentsOf("kubernetes-postgres.yaml") as unknown as readonly [
    IDeployment,
    IPodDisruptionBudget,
  ];
  const [set, service] = documentsOf("kubernetes-sqlite.yaml") as unknown as readonly [
    IStatefulSet,
    IService,
  ];
  const pods = [deployment, set].map(({ spec }) => spec?.template);

  it.each([
    [
      "kubernetes-postgres.yaml",
      [
        ["apps/v1", "IDeployment"],
        ["policy/v1", "IPodDisruptionBudget"],
      ],
    ],
    [
      "kubernetes-sqlite.yaml",
      [
        ["apps/v1", "IStatefulSet"],
        ["v1", "IService"],
      ],
    ],
  ] as const)(
    "%s has every field that Kubernetes asks for, and none that it does not know",
    (name, types) => {
      const folder = mkdtempSync(join(tmpdir(), "chirpwatch-kubernetes-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const models = (path: string) =>
        JSON.stringify(fileURLToPath(rootUrl(`node_modules/kubernetes-models/${path}/index.js`)));
      const imports = types
        .map(([path, type]) => `import type { ${type} } from ${models(path)};\n`)
        .join("");
      const text = `${imports}export const manifests: readonly [${types.map(([, type]) => type).join(", ")}] = ${JSON.stringify(documentsOf(name))};\n`;
      writeFileSync(join(folder, "manifests.ts"), text);
      const tsc = fileURLToPath(rootUrl("node_modules/typescript/bin/tsc"));
      const flags = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--types",
        "",
        "--module",
        "nodenext",
        join(folder, "manifests.ts"),
      ];
      const { stdout } = spawnSync(process.execPath, [tsc, ...flags], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(stdout).toBe("");
    },
  );

  it("run as a non-root user, write to their volumes only, and have time to stop", () => {
    for (const pod of pods) {
      const [container] = pod?.spec?.containers ?? [];
      expect(pod?.spec?.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(container?.securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ["ALL"] },
      });
      expect(pod?.spec?.terminationGracePeriodSeconds).toBeGreaterThan(10);
      const claimed =
        pod === set.spec?.template
          ? (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name)
          : [];
      const volumes = [...(pod?.spec?.volumes ?? []).map(({ name }) => name), ...claimed];
      expect(new Set(container?.volumeMounts?.map(({ name }) => name))).toEqual(new Set(volumes));
      const paths = ["startupProbe", "livenessProbe", "readinessProbe"] as const;
      expect(paths.map((probe) => container?.[probe]?.httpGet?.path)).toEqual([
        "/healthz",
        "/healthz",
        "/readyz",
      ]);
    }
  });

  it("are two daemons of which one is kept on Postgres, and one on SQLite with a volume of its own", () => {
    expect([deployment.spec?.replicas, budget.spec?.minAvailable, set.spec?.replicas]).toEqual([
      2, 1, 1,
    ]);
    expect(budget.spec?.selector).toEqual(deployment.spec?.selector);
    expect(set.spec?.volumeClaimTemplates?.[0]?.spec?.accessModes).toEqual(["ReadWriteOnce"]);
    expect([set.spec?.serviceName, service.spec?.selector]).toEqual([
      service.metadata?.name,
      set.spec?.selector.matchLabels,
    ]);
    for (const { spec } of [deployment, set])
      expect(spec?.template.metadata?.labels).toEqual(spec?.selector.matchLabels);
  });
});
