with due as (
  select loan_id, due_on, back_on
  from loans
  where branch = {{ branch }}
    and channel in ('desk', 'machine')
    and due_on between {{ period.start }} and {{ period.end }}
)
select 100.0 * sum(case when back_on is null or back_on > due_on then 1 else 0 end) / count(*) as late_share
from due
