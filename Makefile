# redgreen: from merged fixes to proven tasks to scored agents. `make help` lists the targets.
#
# Every document is a target: resuming, running one stage again, running in parallel and doing nothing twice come from
# that. The list of candidates and the list of attempts are included files that Make itself rebuilds.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory
unexport MAKEFILES
# a stage starts twice as fast from compiled modules
unexport PYTHONDONTWRITEBYTECODE

# ---- what you may set ------------------------------------------------------------------------------------------------
SET ?= demo#        the task set: tasks/<SET>/set.yaml, or a name of your own with REPO
RUN ?= $(if $(wildcard runs/$(SET).yaml),$(SET),gate)#   the run specification: runs/<RUN>.yaml
OUT ?= out#         where everything that is made goes
SANDBOX ?= auto#    podman, process, or auto: podman where it is installed
ALLOW_PROCESS ?=#   1: agents that are not ours may run in the process sandbox, which holds them less well
TASK ?=#            one task's id: make red TASK=<id>
REPO ?=#            a repository of your own: owner/name, URL or path
PR ?=#              the address of one pull request, for make task
COMMIT ?=#          one fix commit, for make task with REPO
SOURCE ?=#          mirror (git history alone), or github (its API: set GITHUB_TOKEN)
LIMIT ?=#           candidates of each repository, newest first
SINCE ?=#           day of the merge, YYYY-MM-DD
UNTIL ?=#           day of the merge, YYYY-MM-DD
LICENCES ?=#        SPDX ids that are allowed, blank between them; default: all that are known and not copyleft
PATHS ?=#           globs, blank between them: keep fixes that change a matching source file
SAMPLE ?=#          so many tasks, chosen by hash of the id
SEED ?= 0#          another seed, another sample
JOBS ?= $(shell nproc)#   stages at a time; -j says the same
CASE ?=#            make selftest: only this case of the corpus
TO ?=#              make pin: the public set that accepted tasks are kept in
MIRRORS ?=#         a folder of local copies to fetch repositories from

strip_ = $(strip $(1))
$(foreach v,SET RUN OUT SANDBOX TASK REPO PR COMMIT SOURCE LIMIT SINCE UNTIL SAMPLE SEED JOBS TO MIRRORS,\
  $(eval override $v := $$(call strip_,$$($v))))
# decided here, so that podman which comes or goes is a change like any other
ifeq ($(SANDBOX),auto)
override SANDBOX := $(if $(shell command -v podman),podman,process)
endif
export MIRRORS SANDBOX

# as many at a time as there are processors, unless -j says otherwise: it comes later and wins
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(JOBS)
endif

# ---- places ----------------------------------------------------------------------------------------------------------
PYTHON := .venv/bin/python
S := $(OUT)/$(SET)
T := $(S)/tasks
R := $(S)/runs/$(RUN)
SPEC := runs/$(RUN).yaml
LANGUAGE := $(wildcard adapters/languages/*.py adapters/languages/inside/* adapters/sandboxes/*.py)
unless_it_says = $(if $(call equal,$(strip $(file <$(1))),$(2)),,FORCE)
equal = $(and $(findstring |$(1)|,|$(2)|),$(findstring |$(2)|,|$(1)|))
schema = $(foreach name,$(1),schemas/$(name).schema.json)
stage = stages/$(1).py $(wildcard stages/steps/$(1).py)

MINE := --set $(SET) $(if $(SOURCE),--source $(SOURCE)) $(foreach r,$(REPO),--repo '$r') $(if $(PR),--pr '$(PR)')
MINE += $(foreach c,$(COMMIT),--commit $c) $(if $(LIMIT),--limit $(LIMIT)) $(if $(SINCE),--since $(SINCE))
MINE += $(if $(UNTIL),--until $(UNTIL)) $(foreach l,$(LICENCES),--licence $l) $(foreach p,$(PATHS),--path '$p')
MINE += $(if $(SAMPLE),--sample $(SAMPLE) --seed $(SEED)) --sandbox $(SANDBOX)

.PHONY: all
all: ## the whole job on SET: mine, prove, run, score, and the table
all: $(R)/stats.json
	@$(PYTHON) stages/stats.py --show $(R)
	@$(if $(filter podman,$(SANDBOX)),,echo "sandbox    process: podman is not installed or not asked for (docs/sandboxes.md)")
	@echo "tasks      $(S)/tasks.jsonl"; echo "rejected   $(S)/rejected.jsonl"; echo "numbers    $(R)/stats.json"

# ---- set-up ----------------------------------------------------------------------------------------------------------
.venv/.redgreen-stamp: setup.sh requirements.lock
	@bash setup.sh
	@touch $@

.PHONY: setup
setup: .venv/.redgreen-stamp ## the locked Python environment in .venv

# ---- mine ------------------------------------------------------------------------------------------------------------
# the options as a file that changes only when they do
$(S)/mine.flags: $(call unless_it_says,$(S)/mine.flags,$(strip $(MINE)))
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(strip $(MINE)))' >$@

# pointers, or the projects that a bundled set's histories are made from
PINNED := $(wildcard tasks/$(SET)/*.json) \
  $(if $(wildcard tasks/$(SET)/*/project.yaml),$(shell find tasks/$(SET) -mindepth 2 -type f -name '[A-Za-z0-9_.]*' ! -name '*[ :%\#]*' ! -name cases.yaml ! -path '*/__pycache__/*'))
$(S)/candidates.jsonl: $(S)/mine.flags $(call stage,mine) $(wildcard tasks/$(SET)/set.yaml) $(PINNED) \
    $(call schema,candidate setspec pointer) redgreen/candidates.py redgreen/statement.py redgreen/licence.py \
    $(wildcard adapters/sources/*.py) | .venv/.redgreen-stamp
	@$(PYTHON) stages/mine.py --out $(OUT) $(MINE)

# mine writes tasks.mk before candidates.jsonl, and leaves it alone if the ids are the same
$(S)/tasks.mk: $(S)/candidates.jsonl
	@touch $@

$(T)/%/candidate.json: | $(S)/tasks.mk
	@test -f $@ || { echo "error: $@: gone" >&2; echo "hint: make -B mine SET=$(SET) finds the candidates anew" >&2; exit 1; }

# ---- the gate: one rule a stage --------------------------------------------------------------------------------------
$(T)/%/workspace.json: $(T)/%/candidate.json $(call stage,materialize) redgreen/folder.py redgreen/git.py \
    $(call schema,candidate workspace) | .venv/.redgreen-stamp
	@$(PYTHON) stages/materialize.py $(@D)

$(T)/%/environment.json: $(T)/%/candidate.json $(T)/%/workspace.json $(call stage,install) $(call schema,environment) \
    $(LANGUAGE) $(wildcard containers/*/* containers/*.sh) | .venv/.redgreen-stamp
	@$(PYTHON) stages/install.py $(@D)

# made while bases are written, so that the first installs need not wait one by one; kept by its recipe
$(OUT)/images/%: $(wildcard containers/*/* containers/*.sh) | .venv/.redgreen-stamp
	@$(PYTHON) -m adapters $* $(OUT)

GATE := stages/steps/gate_runs.py redgreen/trials.py redgreen/launch.py redgreen/events.py redgreen/changed_tests.py \
    redgreen/leaks.py $(wildcard redgreen/inside/*.py)
$(T)/%/red.json: $(T)/%/environment.json $(call stage,red) $(GATE) $(call schema,report)
	@$(PYTHON) stages/red.py $(@D)

$(T)/%/green.json: $(T)/%/environment.json $(call stage,green) $(GATE) $(call schema,report)
	@$(PYTHON) stages/green.py $(@D)

$(T)/%/accept.json: $(T)/%/red.json $(T)/%/green.json $(call stage,accept) redgreen/gate.py $(call schema,task)
	@$(PYTHON) stages/accept.py $(@D)

# ---- runs ------------------------------------------------------------------------------------------------------------
# collect writes, of the run specification, what each agent's attempts depend on
$(R)/agents/%.json: | $(R)/attempts.mk
	@test -f $@

$(R)/%/attempt.json: $(call stage,run) $(call schema,attempt runspec modelscript) \
    $(wildcard adapters/agents/*.py adapters/agents/prompts/*.md adapters/models/*.py redgreen/inside/desk.py) redgreen/gateway.py
	@$(PYTHON) stages/run.py --spec $(SPEC) $(if $(ALLOW_PROCESS),--allow-process) $(@D)

VERDICT := $(foreach name,verdict suspicion landing calibration faults,redgreen/$(name).py)
$(R)/%/score.json: $(R)/%/attempt.json $(call stage,score) $(VERDICT) $(call schema,score)
	@$(PYTHON) stages/score.py $(@D)

# ---- the lists that only exist once something was found ----------------------------------------------------------------
goals := $(or $(MAKECMDGOALS),all)
# gate and task only call make again, with the set and run that they are about: they read no list themselves
needs_tasks := $(filter all tasks runs score stats materialize install red green accept run pin $(OUT)/%,$(goals))
needs_runs := $(filter all runs run score stats $(OUT)/%/runs/$(RUN)/%,$(goals))

# Make remakes what it includes even for `make -n`, which shall run nothing: then the lists are read as they are.
dry := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
read_list = $(eval $(if $(dry),$(file <$(1)),include $(1)))

# tasks.mk sets them
IDS :=
IMAGES :=

# The first reading only brings tasks.mk up to date and then starts over: what follows has to see the list as it is.
ifneq ($(needs_tasks),)
ifeq ($(MAKE_RESTARTS)$(dry),)
$(S)/restart.mk: $(S)/tasks.mk FORCE
	@touch $@

include $(S)/restart.mk
else
$(call read_list,$(S)/tasks.mk)
ACCEPTED := $(IDS:%=$(T)/%/accept.json)

$(IDS:%=$(T)/%/environment.json): | $(if $(filter podman,$(SANDBOX)),$(IMAGES:%=$(OUT)/images/%))

# the ids as a file that changes only when they do: a task that is no more leaves no newer file behind
$(S)/tasks.ids: $(call unless_it_says,$(S)/tasks.ids,$(strip $(IDS)))
	@printf '%s\n' '$(strip $(IDS))' >$@

$(S)/tasks.jsonl: $(ACCEPTED) $(S)/tasks.ids $(call stage,collect)
	@$(PYTHON) stages/collect.py $(S) $(IDS)

ifneq ($(needs_runs),)
$(R)/attempts.mk: $(S)/tasks.jsonl $(SPEC) $(call stage,collect)
	@mkdir -p $(@D); $(PYTHON) stages/collect.py $(S) --spec $(SPEC) --to $@

$(call read_list,$(R)/attempts.mk)

# an attempt that a service or the machine broke says nothing about its agent: it is made again
BROKEN := $(if $(dry),,$(filter $(ATTEMPTS:%=$(R)/%/attempt.json),\
  $(shell grep -rls --include=attempt.json '"stopped": "infra"' $(R))))
$(BROKEN): FORCE

SCORES := $(ATTEMPTS:%=$(R)/%/score.json)

# an attempt depends on the task that it is about and on its agent
agent_of = $(notdir $(patsubst %-$(lastword $(subst -, ,$(1))),%,$(1)))
$(foreach a,$(ATTEMPTS),$(eval $(R)/$a/attempt.json: \
  $(T)/$(firstword $(subst /, ,$a))/accept.json $(R)/agents/$(call agent_of,$a).json))

$(R)/stats.json: $(SCORES) $(S)/tasks.jsonl $(R)/attempts.mk $(call stage,stats) $(call schema,stats)
	@$(PYTHON) stages/stats.py $(R) >/dev/null
endif
endif
endif

# ---- one stage at a time -----------------------------------------------------------------------------------------------
STAGES := materialize install red green accept
document_of_materialize := workspace
document_of_install := environment
document_of_red := red
document_of_green := green
document_of_accept := accept

.PHONY: $(STAGES)
$(STAGES): %: ## one stage again, of TASK or of all that need it
	@$(if $(TASK),test -f $(T)/$(TASK)/candidate.json || \
	  { echo "error: $(TASK): no such task in $(SET)" >&2; echo "hint: one of: $(wordlist 1,20,$(IDS))" >&2; exit 2; })
	$(if $(TASK),@$(PYTHON) stages/$@.py $(T)/$(TASK),\
	  @$(MAKE) $(foreach id,$(IDS),$(T)/$(id)/$(document_of_$@).json))

.PHONY: mine tasks runs run score stats gate task pin
mine: $(S)/candidates.jsonl ## find candidates
tasks: $(S)/tasks.jsonl ## the gate: candidates to accepted tasks and rejections
run: $(ATTEMPTS:%=$(R)/%/attempt.json) ## let the agents of RUN try
score: $(SCORES) ## score what they handed in
stats runs: $(R)/stats.json ## the numbers of RUN
	@$(PYTHON) stages/stats.py --show $(R)

gate: .venv/.redgreen-stamp ## prove the harness on SET: the oracle is fixed on all tasks, the empty patch on none
	@$(MAKE) RUN=gate runs
	@$(PYTHON) stages/stats.py --gate $(S)/runs/gate

task: .venv/.redgreen-stamp ## one fix: PR=<address>, or REPO=<repository> COMMIT=<id>
	@test -n "$(PR)$(COMMIT)" || { echo "error: which fix?" >&2; \
	  echo "hint: make task PR=<address of a pull request>, or REPO=<path or url> COMMIT=<id>" >&2; exit 2; }
	@$(MAKE) tasks SET=$(if $(filter demo,$(SET)),one,$(SET)) PR='$(PR)'
	@$(PYTHON) stages/show.py $(OUT)/$(if $(filter demo,$(SET)),one,$(SET))

pin: $(S)/tasks.jsonl ## keep the accepted tasks of SET as pointers and facts in tasks/TO
	@test -n "$(TO)" || { echo "error: pin them where?" >&2; echo "hint: make pin SET=$(SET) TO=v0.1" >&2; exit 2; }
	@$(PYTHON) stages/pin.py $(S) tasks/$(TO) $(TASK)

.PHONY: verify
verify: .venv/.redgreen-stamp ## rebuild SAMPLE tasks of SET (or TASK) from the public commits: HOLD, FAIL or SKIP
	@$(PYTHON) stages/verify.py --set $(SET) --out $(OUT) --sample $(or $(SAMPLE),20) --seed $(SEED) --jobs $(JOBS) \
	  $(foreach t,$(TASK),--task $t)

.PHONY: selftest
selftest: .venv/.redgreen-stamp ## every known cheat and every known false verdict, tried on this harness (CASE=<id>: one)
	@$(MAKE) tasks SET=selftest
	@$(PYTHON) stages/selftest.py $(OUT)/selftest --jobs $(JOBS) $(foreach c,$(CASE),--case $c)

.PHONY: hermetic
hermetic: .venv/.redgreen-stamp ## images built twice are equal, and red, green and score open no connection
	@$(PYTHON) stages/hermetic.py $(S)

# ---- the project itself ------------------------------------------------------------------------------------------------
.PHONY: test lint types schemas images doctor clean help FORCE
test: .venv/.redgreen-stamp ## the tests
	@$(PYTHON) -m pytest $(PYTEST)

lint: .venv/.redgreen-stamp ## ruff: rules and format
	@.venv/bin/ruff check . && .venv/bin/ruff format --check .

types: .venv/.redgreen-stamp ## mypy, strictly
	@.venv/bin/mypy

schemas: .venv/.redgreen-stamp ## write schemas/ from the models
	@$(PYTHON) -m redgreen.schemas

images: .venv/.redgreen-stamp ## build the container images, and say how large they are
	@for language in $(filter-out base,$(notdir $(patsubst %/Containerfile,%,$(wildcard containers/*/Containerfile)))); do \
	  image=$$(bash containers/build.sh $$language); \
	  printf '%-11s %s %d MB\n' $$language $$image $$(($$(podman image inspect --format '{{.Size}}' $$image) / 1000000)); done

doctor: .venv/.redgreen-stamp ## what works on this machine, what is missing and how to get it
	@$(PYTHON) stages/doctor.py

clean: ## delete OUT/SET, not the mirrors and caches
	@rm -rf $(S)

help: ## this list
	@echo "make TARGET [NAME=value ...]"; echo
	@sed -nE 's/^([a-z]+)( [a-z]+)?:.*## (.*)/  \1 \3/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk '{ name = $$1; $$1 = ""; printf "  %-12s%s\n", name, $$0 }'
	@echo "  materialize, install, red, green, accept: one stage again, with TASK=<id>"
	@echo; echo "Variables:"
	@sed -nE 's/^([A-Z]+) \?=([^#]*)# *(.*)/\1|\2|\3/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk -F'|' '{ printf "  %-10s %s%s\n", $$1, $$3, ($$2 ~ /[a-z0-9]/ && $$2 !~ /\(/) ? " [" $$2 "]" : "" }'

FORCE:
