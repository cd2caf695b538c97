-- two doors a house: add them up before averaging
with days as (
  select day, sum(visitors) as heads
  from doors
  where branch = {{ branch }}
    and closed = 'n'
    and day between {{ period.start }} and {{ period.end }}
  group by day
)
select avg(heads) as visitors_a_day
from days
