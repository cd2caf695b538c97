#!/usr/bin/env bash
# What the Action does after everything is installed: runs autotest, keeps the comment of the pull request up to date, or pushes
# repairs. Ends with the exit code of autotest.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The program and its arguments, a line each: paths may have spaces.
autotest=()
while IFS= read -r word; do autotest+=("$word"); done <<<"${AUTOTEST_PROGRAM:-$'npx\n--no-install\nautotest'}"
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
# The commit that is asked, before repairs change anything; none where files differ from it.
commit=$(git rev-parse --verify --quiet HEAD) || commit=
git diff --quiet HEAD -- . 2>/dev/null || commit=
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
# What the main branch answers before repairs, for the pull requests to compare with.
if [ "${GITHUB_REF_NAME:-}" = "${AUTOTEST_DEFAULT_BRANCH:-main}" ]; then
  if [ -n "$commit" ]; then node "$here/base-result.js" keep "$commit"
  else echo '::warning::files differ from the commit: its result is not stored for pull requests to compare with'; fi
fi
if [ "$mode" = repair ]; then bash "$here/push-repairs.sh" || exit $?; fi
exit $code
