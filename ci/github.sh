#!/usr/bin/env bash
# What the Action does after everything is installed: runs autotest, keeps the comment of the pull request up to date, or pushes
# repairs. Ends with the exit code of autotest.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The program and its arguments, a line each: paths may have spaces.
autotest=()
while IFS= read -r word; do autotest+=("$word"); done <<<"${AUTOTEST_PROGRAM:-$'npx\n--no\nautotest'}"
mode=${AUTOTEST_MODE:-plan}
case $mode in
  evaluate) flags=(--no-repair) ;;
  plan) flags=(--dry-run) ;;
  repair) flags=(--no-commit) ;;
  *)
    echo "::error::mode $mode: must be evaluate, plan or repair"
    exit 2
    ;;
esac
# Flags are words, as in a shell; nothing of them is evaluated.
read -r -a more <<<"${AUTOTEST_FLAGS:-}"
mkdir -p reports
"${autotest[@]}" "${flags[@]}" ${more[@]+"${more[@]}"} -o reports/report.html -o reports/report.json -o reports/report.md -o reports/junit.xml
code=$?
{
  echo "exit-code=$code"
  if [ -f reports/report.html ]; then echo 'report=reports/report.html'; fi
} >>"${GITHUB_OUTPUT:-/dev/null}"
# Without a report there is nothing to tell: the log has the reason.
[ -f reports/report.json ] || exit $code
cat reports/report.md >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

if [ -n "${AUTOTEST_PULL_REQUEST:-}" ] && [ "${AUTOTEST_COMMENT:-true}" = true ]; then
  node "$here/comment.js" || echo '::warning::the comment could not be written: the job needs permissions: pull-requests: write'
fi
# What the main branch has, for the pull requests to compare with.
if [ "${GITHUB_REF_NAME:-}" = "${AUTOTEST_DEFAULT_BRANCH:-main}" ]; then
  mkdir -p .autotest/base
  cp reports/report.json .autotest/base/report.json
fi
if [ "$mode" = repair ]; then bash "$here/push-repairs.sh" || exit $?; fi
exit $code
